/* SPDX-License-Identifier: MIT
 *
 * guest_test.c - process and driver together: a guest that connects to the socket as QEMU would,
 * maps the memory, and receives through the real driver and the real core. Peers that come and go,
 * either side killed, guests that write nonsense or never take anything.
 */
#include "guest.h"
#include "process.h"
#include "rng.h"
#include "test_frame.h"

#include "check_cmocka.h"
#include "nic/device/ivshmem.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define Q(k, at)  (TG_NIC_QUEUE(k) + (at))
#define QUIET_MS  3000u /* of a network that has nothing more to send */
#define CAPTURE_N 240u

static const uint16_t ports[GUEST_QUEUES] = {5002u, 5001u, 5000u}; /* by queue */
static const uint32_t flows[GUEST_QUEUES] = {3u, 2u, 1u};

static int stop_all(void **state)
{
    (void)state;
    process_clean();
    return 0;
}

static void start_guest(struct guest *g)
{
    assert_true(guest_connect(g, process_socket()));
    assert_int_equal(guest_start(g), 0);
}

static void end_guest(struct guest *g)
{
    guest_stop(g);
    guest_disconnect(g);
}

static void start(struct process *nic, struct guest *g, const char *frames)
{
    process_start(nic, frames);
    start_guest(g);
}

static void end(struct process *nic, struct guest *g)
{
    end_guest(g);
    process_stop(nic);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Frames that the ring had no room for. */
static uint64_t drops_of(const struct guest *g, uint32_t queue)
{
    return tg_nic_driver_count(&g->driver, Q(queue, TG_NIC_Q_DROP_EMPTY));
}

/* All frames of one flow: they come through its queue, and no other vector is raised. */
static void one_flow_raises_only_its_own_vector(void **state)
{
    (void)state;
    for (uint32_t k = 0u; k < GUEST_QUEUES; k++) {
        struct process nic;
        struct process_report report;
        struct guest g;

        start(&nic, &g, process_capture(&ports[k], 1u, CAPTURE_N));
        for (uint32_t n = 0u; n < 100u && guest_received(&g) + drops_of(&g, k) < CAPTURE_N; n++) {
            guest_run(&g, CAPTURE_N, 100u);
        }
        process_ask(&nic, &report);
        /* What the ring had no room for is counted; all else was taken. */
        assert_int_equal(g.received[flows[k]] + process_count(&report, Q(k, TG_NIC_Q_DROP_EMPTY)),
                         CAPTURE_N);
        assert_true(g.received[flows[k]] > 0u);
        assert_int_equal(guest_received(&g), g.received[flows[k]]);
        for (uint32_t other = 0u; other < GUEST_QUEUES; other++) {
            assert_int_equal(g.raised[other] != 0u, other == k);
            assert_int_equal(g.rxqs[other].counters.received,
                             other == k ? g.received[flows[k]] : 0u);
        }
        assert_int_equal(process_count(&report, TG_NIC_RX_FRAMES), CAPTURE_N);
        end(&nic, &g);
    }
}

/* Slow enough that nothing may be lost: every frame, in the queue of its priority. */
static void every_frame_arrives_in_its_queue(void **state)
{
    struct process nic;
    struct process_report report;
    struct guest g;
    uint64_t raised = 0u;

    (void)state;
    start(&nic, &g, "generator:500 /s,400");
    guest_run(&g, 400u, QUIET_MS);
    assert_int_equal(guest_received(&g), 400u);
    for (uint32_t flow = 0u; flow <= 3u; flow++) {
        assert_int_equal(g.received[flow], 100u);
    }
    assert_int_equal(g.rxqs[GUEST_LOW].counters.received, 200u); /* best effort, too */
    assert_int_equal(g.rxqs[GUEST_MID].counters.received, 100u);
    assert_int_equal(g.rxqs[GUEST_HIGH].counters.received, 100u);
    process_ask(&nic, &report);
    for (uint32_t k = 0u; k < GUEST_QUEUES; k++) {
        assert_int_equal(process_count(&report, Q(k, TG_NIC_Q_FRAMES)),
                         process_count(&report, Q(k, TG_NIC_Q_DELIVERED)));
        raised = process_count(&report, Q(k, TG_NIC_Q_RAISED_COUNTER)) +
                 process_count(&report, Q(k, TG_NIC_Q_RAISED_ABSOLUTE));
        assert_int_equal(g.raised[k], raised);
        assert_int_equal(process_count(&report, Q(k, TG_NIC_Q_RAISED_LOST)), 0u);
    }
    /* The guest reads the same in the shared memory. */
    assert_int_equal(tg_nic_driver_count(&g.driver, TG_NIC_RX_FRAMES), 400u);
    end(&nic, &g);
}

static void rules_can_be_changed_at_run_time(void **state)
{
    const struct tg_match match = {
        .fields = TG_FIELD_PROTOCOL | TG_FIELD_DST_PORT, .protocol = PROTO_UDP, .dst_port = 5001u};
    struct process nic;
    struct process_report report;
    struct guest g;

    (void)state;
    start(&nic, &g, "generator:2 kpps,400");
    /* The flow `mid` to the highest queue. Frames may have come before. */
    assert_int_equal(tg_nic_driver_bind(&g.driver, &match, 30u), TG_ERR_EXISTS);
    assert_int_equal(tg_nic_driver_unbind(&g.driver, 99u), TG_ERR_STATE);
    assert_int_equal(tg_nic_driver_unbind(&g.driver, 2u), 0);
    assert_int_equal(tg_nic_driver_bind(&g.driver, &match, 30u), 2);
    assert_int_equal(tg_nic_driver_bind(&g.driver, &match, 32u), TG_ERR_RANGE);
    assert_int_equal(tg_nic_driver_write(&g.driver, TG_NIC_IDENT, 1u), TG_ERR_RANGE);
    guest_run(&g, 400u, 500u);
    process_ask(&nic, &report);
    assert_true(process_count(&report, Q(GUEST_HIGH, TG_NIC_Q_FRAMES)) > 120u);
    end(&nic, &g);
}

/* The driver gives a queue back, and takes it again; no buffer is lost. */
static void a_queue_can_be_detached_and_attached(void **state)
{
    struct process nic;
    struct guest g;

    (void)state;
    start(&nic, &g, "generator:500 /s,40");
    for (uint32_t i = 0u; i < 3u; i++) {
        assert_int_equal(tg_nic_driver_detach(&g.driver, GUEST_HIGH), 0);
        assert_int_equal(g.rxqs[GUEST_HIGH].filled_pkts, 0u);
        assert_int_equal(tg_nic_driver_attach(&g.driver, &g.protocol, GUEST_HIGH, 0x2800u, 16u,
                                              g.slots[GUEST_HIGH]),
                         TG_ERR_RANGE); /* smaller than the ring of the protocol */
        assert_int_equal(tg_nic_driver_attach(&g.driver, &g.protocol, GUEST_HIGH, 0x2810u, 64u,
                                              g.slots[GUEST_HIGH]),
                         TG_ERR_RANGE); /* not aligned: the device refuses */
        assert_int_equal(g.rxqs[GUEST_HIGH].filled_pkts, 0u);
        assert_int_equal(tg_nic_driver_attach(&g.driver, &g.protocol, GUEST_HIGH, 0x2800u, 64u,
                                              g.slots[GUEST_HIGH]),
                         0);
        assert_int_equal(g.rxqs[GUEST_HIGH].filled_pkts, 32u);
    }
    guest_run(&g, 40u, 300u);
    assert_true(g.received[flows[GUEST_HIGH]] > 0u);
    end(&nic, &g);
}

/* A task as urgent as all queues runs: they are silent until it ends, and then all are told of. */
static void the_running_task_is_left_alone(void **state)
{
    struct process nic;
    struct process_report report;
    struct guest g;

    (void)state;
    start(&nic, &g, "generator:1 kpps,24");
    tg_nic_driver_running(&g.driver, 31);
    guest_run(&g, 24u, 400u);
    const uint64_t before = guest_received(&g);

    for (uint32_t k = 0u; k < GUEST_QUEUES; k++) {
        struct pollfd vector = {.fd = g.vectors[k], .events = POLLIN};

        assert_int_equal(poll(&vector, 1u, 0), 0);
    }
    assert_true(before < 24u);
    tg_nic_driver_running(&g.driver, -1);
    guest_run(&g, 24u, QUIET_MS);
    assert_int_equal(guest_received(&g), 24u); /* the rings had room for all of them */
    process_ask(&nic, &report);
    assert_true(process_count(&report, Q(GUEST_HIGH, TG_NIC_Q_HELD_RUNNING)) > 0u);
    assert_int_equal(report.registers[TG_NIC_HELD / 4u], 0u);
    end(&nic, &g);
}

/* ---- Peers ----------------------------------------------------------------------------------- */

static void peers_are_told_of_each_other(void **state)
{
    struct process nic;
    struct process_report report;
    struct guest all[8];
    struct guest ninth;

    (void)state;
    process_start(&nic, "generator:1 /s,1");
    assert_true(guest_connect(&all[0], process_socket()));
    assert_int_equal(all[0].version, 0);
    assert_int_equal(all[0].n_vectors, GUEST_QUEUES);
    assert_true(all[0].peers[TG_NIC_DEVICE_PEER].is_there);
    assert_int_equal(all[0].peers[TG_NIC_DEVICE_PEER].n_vectors, 1u);
    for (uint32_t i = 1u; i < 8u; i++) {
        assert_true(guest_connect(&all[i], process_socket()));
        assert_int_not_equal(all[i].id, all[0].id);
        assert_true(all[i].peers[all[0].id].is_there);
        assert_int_equal(all[i].peers[all[0].id].n_vectors, GUEST_QUEUES);
    }
    guest_listen(&all[0]);
    for (uint32_t i = 1u; i < 8u; i++) {
        assert_true(all[0].peers[all[i].id].is_there);
        assert_int_equal(all[0].peers[all[i].id].n_vectors, GUEST_QUEUES);
    }

    /* All see one memory; the ninth finds no place, and everybody else stays. */
    tg_nic_store((uint32_t *)(void *)(all[0].memory + 0x3000u), 0x12345678u);
    assert_int_equal(tg_nic_load((uint32_t *)(void *)(all[7].memory + 0x3000u)), 0x12345678u);
    assert_false(guest_connect(&ninth, process_socket()));
    process_ask(&nic, &report);
    assert_int_equal(report.refused_peers, 1u);

    /* One that leaves is told of, and its place is free. */
    const uint32_t gone = all[3].id;

    guest_disconnect(&all[3]);
    guest_listen(&all[0]);
    assert_false(all[0].peers[gone].is_there);
    assert_true(all[0].peers[all[4].id].is_there);
    assert_true(guest_connect(&all[3], process_socket()));
    assert_int_not_equal(all[3].id, gone);

    /* One that says something is not one of us. */
    assert_int_equal(write(all[5].socket, "x", 1u), 1);
    guest_listen(&all[5]);
    assert_true(all[5].is_cut);
    for (uint32_t i = 0u; i < 8u; i++) {
        guest_disconnect(&all[i]);
    }
    process_stop(&nic);
}

/* ---- File descriptors ------------------------------------------------------------------------ */

/* The one that a process would get next: it has all below. */
static rlim_t next_descriptor(pid_t id)
{
    char path[64];
    int n = -1;

    do {
        n++;
        (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)id, n);
    } while (access(path, F_OK) == 0);
    return (rlim_t)n;
}

static void allow_descriptors(pid_t id, rlim_t n)
{
    struct rlimit limit;

    assert_int_equal(prlimit(id, RLIMIT_NOFILE, NULL, &limit), 0);
    limit.rlim_cur = n < limit.rlim_max ? n : limit.rlim_max;
    assert_int_equal(prlimit(id, RLIMIT_NOFILE, &limit, NULL), 0);
}

static void without_descriptors_peers_are_refused(void **state)
{
    struct process nic;
    struct process_report report;
    struct guest g;
    struct guest other;

    (void)state;
    start(&nic, &g, "generator:500 /s,400");
    allow_descriptors(nic.id, next_descriptor(nic.id));
    for (uint32_t n = 1u; n <= 3u; n++) {
        assert_false(guest_connect(&other, process_socket()));
        process_ask(&nic, &report);
        assert_int_equal(report.refused_peers, n);
    }
    guest_run(&g, 1u, QUIET_MS); /* who is in does not notice */
    assert_true(guest_received(&g) > 0u);
    allow_descriptors(nic.id, RLIM_INFINITY);
    assert_true(guest_connect(&other, process_socket()));
    guest_disconnect(&other);
    end(&nic, &g);
}

/* Whichever of its descriptors is not to be had, it says so and keeps none of the others. */
static void without_descriptors_it_does_not_start(void **state)
{
    const rlim_t first = next_descriptor(getpid());
    struct tg_ivshmem server;
    struct rlimit before;
    char message[TG_IVSHMEM_MESSAGE_BYTES];
    int err = -1;
    rlim_t n = 0u;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (; err != 0 && n < 10u; n++) {
        allow_descriptors(getpid(), first + n);
        err = tg_ivshmem_open(&server, process_socket(), 65536u, 1u, message);
        allow_descriptors(getpid(), before.rlim_cur);
        if (err != 0) {
            assert_non_null(strstr(message, "Too many open files"));
            assert_int_equal(next_descriptor(getpid()), first);
        }
    }
    assert_int_equal(err, 0);
    assert_true(n > 4u); /* memory, doorbell, listener, spare */
    tg_ivshmem_close(&server);
    assert_int_equal(next_descriptor(getpid()), first);
}

static void nobody_can_shrink_the_memory(void **state)
{
    struct process nic;
    struct guest g;

    (void)state;
    process_start(&nic, "generator:1 /s,1");
    assert_true(guest_connect(&g, process_socket()));
    assert_int_equal(g.memory_bytes, TG_NIC_MEMORY_BYTES);
    assert_int_not_equal(ftruncate(g.memory_fd, 4096), 0);
    assert_int_not_equal(ftruncate(g.memory_fd, 2 * TG_NIC_MEMORY_BYTES), 0);
    assert_int_equal(fcntl(g.memory_fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    guest_disconnect(&g);
    process_stop(&nic);
}

/* ---- Restart --------------------------------------------------------------------------------- */

static void a_killed_guest_leaves_a_device_in_its_reset_state(void **state)
{
    struct process nic;
    struct guest first;
    struct guest second;

    (void)state;
    process_start(&nic, "generator:500 /s,600");
    start_guest(&first);
    guest_run(&first, 40u, QUIET_MS);
    assert_true(guest_received(&first) >= 40u);
    end_guest(&first); /* as when QEMU is killed: rings enabled and armed, frames on the way */

    assert_true(guest_connect(&second, process_socket()));
    assert_int_not_equal(second.id, first.id);
    const uint32_t *const registers = (const uint32_t *)(const void *)second.memory;

    for (uint32_t n = 0u; n < 1000u && tg_nic_load(&registers[TG_NIC_PEER / 4u]) != 0u; n++) {
        (void)usleep(1000u);
    }
    assert_int_equal(tg_nic_load(&registers[TG_NIC_PEER / 4u]), 0u);
    assert_int_equal(tg_nic_load(&registers[Q(0u, TG_NIC_Q_CONTROL) / 4u]), 0u);
    assert_int_equal(guest_start(&second), 0);
    guest_run(&second, 40u, QUIET_MS);
    assert_true(guest_received(&second) >= 40u);
    end_guest(&second);
    process_stop(&nic);
}

static void a_guest_that_reboots_starts_over(void **state)
{
    struct process nic;
    struct guest g;

    (void)state;
    start(&nic, &g, "generator:500 /s,600");
    guest_run(&g, 20u, QUIET_MS);
    for (uint32_t i = 0u; i < 5u; i++) {
        const uint32_t generation = tg_nic_driver_read(&g.driver, TG_NIC_GENERATION);

        guest_stop(&g); /* its memory of everything is gone */
        memset(g.received, 0, sizeof g.received);
        assert_int_equal(guest_start(&g), 0);
        assert_int_equal(tg_nic_driver_read(&g.driver, TG_NIC_GENERATION), generation + 1u);
        guest_run(&g, 20u, QUIET_MS);
        assert_true(guest_received(&g) >= 20u);
    }
    end(&nic, &g);
}

static void a_killed_device_can_be_started_again(void **state)
{
    struct process nic;
    struct guest g;

    (void)state;
    start(&nic, &g, "generator:500 /s,600");
    guest_run(&g, 20u, QUIET_MS);
    process_kill(&nic);
    guest_listen(&g);
    assert_true(g.is_cut);
    assert_int_equal(tg_nic_driver_write(&g.driver, TG_NIC_PEER, g.id), TG_ERR_STATE);
    assert_int_equal(tg_nic_driver_write(&g.driver, TG_NIC_PEER, g.id), TG_ERR_STATE);
    end_guest(&g);

    /* Its socket still lies there; the next one takes its place. */
    assert_int_equal(access(process_socket(), F_OK), 0);
    start(&nic, &g, "generator:500 /s,600");
    guest_run(&g, 20u, QUIET_MS);
    assert_true(guest_received(&g) >= 20u);
    end(&nic, &g);
    assert_int_not_equal(access(process_socket(), F_OK), 0);
}

/* ---- Guests that do not behave --------------------------------------------------------------- */

static void a_guest_that_never_takes_anything(void **state)
{
    struct process nic;
    struct process_report report;
    struct guest g;
    uint64_t frames = 0u;

    (void)state;
    start(&nic, &g, "generator:5 kpps,1000");
    for (uint32_t n = 0u; n < 10000u && frames < 1000u; n++) {
        (void)usleep(1000u);
        frames = tg_nic_driver_count(&g.driver, TG_NIC_RX_FRAMES);
    }
    process_ask(&nic, &report);
    assert_int_equal(process_count(&report, TG_NIC_RX_FRAMES), 1000u);
    assert_int_equal(process_count(&report, Q(GUEST_HIGH, TG_NIC_Q_DELIVERED)), 32u); /* its ring */
    assert_int_equal(process_count(&report, Q(GUEST_HIGH, TG_NIC_Q_DROP_EMPTY)), 250u - 32u);
    for (uint32_t k = 0u; k < GUEST_QUEUES; k++) {
        assert_int_equal(process_count(&report, Q(k, TG_NIC_Q_RAISED_COUNTER)) +
                             process_count(&report, Q(k, TG_NIC_Q_RAISED_ABSOLUTE)),
                         1u);
    }
    /* What was delivered is there when it wakes up. */
    guest_run(&g, 16u + 24u + 32u, QUIET_MS);
    assert_int_equal(guest_received(&g), 16u + 24u + 32u);
    end(&nic, &g);
}

/* Any bytes in all of the memory, again and again, while frames come. */
static void a_guest_that_writes_nonsense(void **state)
{
    struct process nic;
    struct process_report report;
    struct guest g;
    struct rng r;
    const uint64_t one = 1u;

    (void)state;
    rng_init(&r, "nic guest_test");
    start(&nic, &g, "generator:100 kpps,40000");
    for (uint32_t round = 0u; round < 3000u; round++) {
        for (uint32_t i = 0u; i < 200u; i++) {
            /* Mostly words that matter, some with values that nearly do. */
            const uint32_t at = rng_percent(&r, 80u) ? rng_below(&r, 0x3000u / 4u)
                                                     : rng_below(&r, TG_NIC_MEMORY_BYTES / 4u);
            const uint32_t value = rng_percent(&r, 30u) ? rng_below(&r, 0x3000u)
                                   : rng_percent(&r, 50u)
                                       ? TG_NIC_MEMORY_BYTES - rng_below(&r, 0x1000u)
                                       : (uint32_t)rng_next(&r);

            tg_nic_store((uint32_t *)(void *)(g.memory + 4u * at), value);
        }
        assert_int_equal(write(g.doorbell, &one, sizeof one), (ssize_t)sizeof one);
    }
    process_ask(&nic, &report);
    guest_stop(&g);
    for (uint32_t at = TG_NIC_WRITES_OFFERED; at < TG_NIC_DATA; at += 4u) {
        tg_nic_store((uint32_t *)(void *)(g.memory + at), 0u);
    }
    guest_disconnect(&g);

    /* The next guest finds a NIC that works. Its driver cannot know the registers that were written
     * over: QEMU went away, so the device reset itself. */
    start_guest(&g);
    process_ask(&nic, &report);
    end(&nic, &g);
    start(&nic, &g, "generator:500 /s,100");
    guest_run(&g, 20u, QUIET_MS);
    assert_true(guest_received(&g) >= 20u);
    end(&nic, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flow_raises_only_its_own_vector),
        cmocka_unit_test(every_frame_arrives_in_its_queue),
        cmocka_unit_test(rules_can_be_changed_at_run_time),
        cmocka_unit_test(a_queue_can_be_detached_and_attached),
        cmocka_unit_test(the_running_task_is_left_alone),
        cmocka_unit_test(peers_are_told_of_each_other),
        cmocka_unit_test(without_descriptors_peers_are_refused),
        cmocka_unit_test(without_descriptors_it_does_not_start),
        cmocka_unit_test(nobody_can_shrink_the_memory),
        cmocka_unit_test(a_killed_guest_leaves_a_device_in_its_reset_state),
        cmocka_unit_test(a_guest_that_reboots_starts_over),
        cmocka_unit_test(a_killed_device_can_be_started_again),
        cmocka_unit_test(a_guest_that_never_takes_anything),
        cmocka_unit_test(a_guest_that_writes_nonsense),
    };

    cmocka_set_test_filter(getenv("TG_CASE"));
    return cmocka_run_group_tests(tests, NULL, stop_all);
}
