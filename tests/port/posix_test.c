/* SPDX-License-Identifier: MIT
 *
 * posix_test.c - the conformance test on the posix port, with a thread for everything; and what
 * only this port promises. `posix_test plain` gives up the right to real-time priorities first.
 */
#define _GNU_SOURCE /* for CPU_SET and syscall; NOLINT(bugprone-reserved-identifier) */

#include "cases.h"
#include "check_cmocka.h"
#include "harness.h"
#include "posix_port.h"

#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_PRIORITY 10
#define CONTENDERS     4u

/* The world, and which of several threads this is. */
struct role {
    struct world *world;
    uint32_t number;
    void (*body)(struct world *w);
};

static struct {
    struct tg_posix_port port;
    uint32_t poll_priority;
    uint32_t started;         /* ports so far */
    int raised[WORLD_QUEUES]; /* eventfd of each NIC */
    pthread_mutex_t nics[WORLD_QUEUES];
    struct role roles[WORLD_PRODUCERS]; /* producer i, consumer i */
    pthread_t producers[WORLD_PRODUCERS];
    pthread_t consumers[WORLD_CONSUMERS];
    pthread_t administrator;
} machine = {.poll_priority = TG_POSIX_POLL_IN_TICK};

static void rest(long ns)
{
    const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    (void)nanosleep(&t, NULL);
}

/* ---- The harness ----------------------------------------------------------------------------- */

void *harness_open(struct world *w, uint32_t floor)
{
    const struct tg_posix_config cfg = {.first_priority = FIRST_PRIORITY,
                                        .floor = floor,
                                        .poll_priority = machine.poll_priority,
                                        .trace = &w->trace};

    assert_int_equal(tg_posix_port_init(&machine.port, &cfg), 0);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        machine.raised[i] = eventfd(0u, EFD_NONBLOCK);
        assert_true(machine.raised[i] >= 0);
        assert_int_equal(pthread_mutex_init(&machine.nics[i], NULL), 0);
    }
    return &machine.port;
}

void harness_close(struct world *w)
{
    (void)w;
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        (void)close(machine.raised[i]);
        assert_int_equal(pthread_mutex_destroy(&machine.nics[i]), 0);
    }
    tg_posix_port_destroy(&machine.port);
}

void harness_nic_lock(struct world *w, uint32_t queue)
{
    (void)w;
    (void)pthread_mutex_lock(&machine.nics[queue]);
}

void harness_nic_unlock(struct world *w, uint32_t queue)
{
    (void)w;
    (void)pthread_mutex_unlock(&machine.nics[queue]);
}

void harness_nic_write(struct world *w, uint8_t *data, const uint8_t *bytes, uint32_t len_bytes)
{
    (void)w;
    memcpy(data, bytes, len_bytes);
}

void harness_raise(struct world *w, uint32_t queue)
{
    const uint64_t one = 1u;

    (void)w;
    (void)!write(machine.raised[queue], &one, sizeof(one));
}

/* As a driver does it: look at the ring, sleep until the device says something. */
static void wait_for_frames(void *driver, int stop_fd)
{
    struct world_ring *const ring = driver;
    struct pollfd fds[2] = {{.fd = machine.raised[ring->queue->number], .events = POLLIN},
                            {.fd = stop_fd, .events = POLLIN}};
    bool has_frame = false;

    while (!has_frame && fds[1].revents == 0) {
        uint64_t times;
        const uint32_t state = tg_port_lock(&machine.port);

        has_frame = world_has_frame(ring);
        tg_port_unlock(&machine.port, state);
        if (!has_frame && poll(fds, 2u, -1) > 0 && fds[0].revents != 0) {
            (void)!read(fds[0].fd, &times, sizeof(times));
        }
    }
}

static void run_protocol(void *arg)
{
    struct world *const w = arg;

    if (w->cfg.is_manual) {
        return;
    }
    do {
        while (world_process(w)) {
        }
    } while (tg_posix_port_wait(&machine.port, TG_POSIX_FOREVER) == TG_POSIX_WOKEN);
}

static void *run_producer(void *arg)
{
    const struct role *const role = arg;

    while (!atomic_load(&role->world->is_over) && !world_has_sent_all(role->world, role->number)) {
        if (!world_produce(role->world, role->number)) {
            rest(20000);
        }
    }
    return NULL;
}

static void *run_consumer(void *arg)
{
    const struct role *const role = arg;
    bool is_over = false;

    while (!is_over) {
        is_over = atomic_load(&role->world->is_over);
        while (world_consume(role->world, role->number)) {
        }
        rest(50000);
    }
    return NULL;
}

/* Without a rest, so that it contends for the lock with the whole path. */
static void *run_administrator(void *arg)
{
    struct world *const w = arg;

    while (!atomic_load(&w->is_over)) {
        world_administrate(w);
    }
    return NULL;
}

static void start_application(struct world *w)
{
    static const uint32_t priorities[WORLD_CONSUMERS] = {5u, 25u};

    for (uint32_t i = 0u; i < WORLD_PRODUCERS; i++) {
        machine.roles[i] = (struct role){.world = w, .number = i};
    }
    for (uint32_t i = 0u; i < WORLD_CONSUMERS; i++) {
        assert_int_equal(tg_posix_port_spawn(&machine.port, priorities[i], run_consumer,
                                             &machine.roles[i], &machine.consumers[i]),
                         0);
    }
    if (!w->cfg.produces) {
        return;
    }
    for (uint32_t i = 0u; i < WORLD_PRODUCERS; i++) {
        assert_int_equal(
            pthread_create(&machine.producers[i], NULL, run_producer, &machine.roles[i]), 0);
    }
    assert_int_equal(pthread_create(&machine.administrator, NULL, run_administrator, w), 0);
}

void harness_start(struct world *w)
{
    assert_int_equal(tg_posix_port_start(&machine.port, &w->protocol, run_protocol, w), 0);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        assert_int_equal(
            tg_posix_port_receive(&machine.port, w->rings[i].queue, wait_for_frames, &w->rings[i]),
            0);
    }
    machine.started++;
    start_application(w);
}

void harness_stop(struct world *w)
{
    tg_posix_port_stop(&machine.port);
    tg_posix_port_stop(&machine.port); /* the second call does nothing */
    atomic_store(&w->is_over, true);
    for (uint32_t i = 0u; i < WORLD_CONSUMERS; i++) {
        assert_int_equal(pthread_join(machine.consumers[i], NULL), 0);
    }
    if (!w->cfg.produces) {
        return;
    }
    for (uint32_t i = 0u; i < WORLD_PRODUCERS; i++) {
        assert_int_equal(pthread_join(machine.producers[i], NULL), 0);
    }
    assert_int_equal(pthread_join(machine.administrator, NULL), 0);
}

void harness_pass(struct world *w, tg_ns delay_ns)
{
    (void)w;
    rest((long)delay_ns);
}

tg_ns harness_now_ns(struct world *w)
{
    (void)w;
    return tg_posix_port_now_ns();
}

/* What POSIX says of the thread. Without real-time priority there is only what was asked. */
uint32_t harness_priority(struct world *w)
{
    struct sched_param param;
    int policy;

    (void)w;
    if (!tg_posix_port_is_realtime(&machine.port) || !machine.port.has_protocol_thread) {
        return machine.port.priority;
    }
    if (pthread_getschedparam(machine.port.protocol_thread.id, &policy, &param) != 0 ||
        policy != SCHED_FIFO) {
        return UINT32_MAX;
    }
    return (uint32_t)(param.sched_priority - FIRST_PRIORITY);
}

bool harness_take_wake(struct world *w)
{
    (void)w;
    return tg_posix_port_wait(&machine.port, 0u) == TG_POSIX_WOKEN;
}

static void *run_contender(void *arg)
{
    const struct role *const role = arg;

    role->body(role->world);
    return NULL;
}

void harness_contend(struct world *w, void (*body)(struct world *w))
{
    pthread_t threads[CONTENDERS];
    struct role roles[CONTENDERS];

    for (uint32_t i = 0u; i < CONTENDERS; i++) {
        roles[i] = (struct role){.world = w, .number = i, .body = body};
        assert_int_equal(
            tg_posix_port_spawn(&machine.port, 1u + 10u * i, run_contender, &roles[i], &threads[i]),
            0);
    }
    for (uint32_t i = 0u; i < CONTENDERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

/* ---- What only this port promises ------------------------------------------------------------ */

static void refuses_priorities_out_of_range(void **state)
{
    struct tg_posix_port port;
    const struct tg_posix_config good = {.first_priority = FIRST_PRIORITY,
                                         .poll_priority = TG_POSIX_POLL_IN_TICK};
    struct tg_posix_config bad[4] = {good, good, good, good};
    pthread_t thread;

    (void)state;
    bad[0].first_priority = 0;
    bad[1].first_priority = sched_get_priority_max(SCHED_FIFO) - (int)TG_POSIX_LEVELS + 2;
    bad[2].floor = TG_PRIORITIES;
    bad[3].poll_priority = TG_PRIORITIES;
    for (uint32_t i = 0u; i < 4u; i++) {
        assert_int_equal(tg_posix_port_init(&port, &bad[i]), TG_ERR_RANGE);
    }
    assert_int_equal(tg_posix_port_init(&port, &good), 0);
    assert_int_equal(tg_posix_port_spawn(&port, TG_PRIORITIES, run_contender, NULL, &thread),
                     TG_ERR_RANGE);
    tg_posix_port_destroy(&port);
}

static void wait_ends_by_timeout(void **state)
{
    const struct tg_posix_config cfg = {.first_priority = FIRST_PRIORITY,
                                        .poll_priority = TG_POSIX_POLL_IN_TICK};
    struct tg_posix_port port;

    (void)state;
    assert_int_equal(tg_posix_port_init(&port, &cfg), 0);
    assert_int_equal(tg_posix_port_wait(&port, 1000000u), TG_POSIX_TIMEOUT);
    tg_posix_port_destroy(&port);
}

/* One processor. The protocol thread is woken, but stands below one that never rests. Once it is
 * raised above that one it must run; nothing else tells the busy one to end. */
static atomic_bool is_busy;
static atomic_bool has_run;

#define BUSY_MAX_NS UINT64_C(20000000000) /* what has not run by then never will */

static void *run_busy(void *arg)
{
    const tg_ns until_ns = tg_posix_port_now_ns() + BUSY_MAX_NS;

    (void)arg;
    atomic_store(&is_busy, true);
    while (!atomic_load(&has_run) && tg_posix_port_now_ns() < until_ns) {
    }
    return atomic_load(&has_run) ? &has_run : NULL;
}

/* As a receive thread does it: from above. */
static void *run_raiser(void *arg)
{
    struct tg_posix_port *const port = arg;

    while (!atomic_load(&is_busy)) {
        rest(100000);
    }
    const uint32_t state = tg_port_lock(port);

    tg_port_wake(port);
    tg_port_set_priority(port, 20u);
    tg_port_unlock(port, state);
    return NULL;
}

static void run_once(void *arg)
{
    struct tg_posix_port *const port = arg;

    while (tg_posix_port_wait(port, TG_POSIX_FOREVER) == TG_POSIX_WOKEN) {
        atomic_store(&has_run, true);
    }
}

static void use_one_processor(cpu_set_t *before)
{
    cpu_set_t one;
    size_t cpu = 0u;

    assert_int_equal(sched_getaffinity(0, sizeof(*before), before), 0);
    while (!CPU_ISSET(cpu, before)) {
        cpu++;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void a_raise_preempts(void **state)
{
    const struct tg_posix_config cfg = {
        .first_priority = FIRST_PRIORITY, .floor = 1u, .poll_priority = TG_POSIX_POLL_IN_TICK};
    static struct tg_protocol unused;
    struct tg_posix_port port;
    cpu_set_t before;
    pthread_t busy;
    pthread_t raiser;

    (void)state;
    use_one_processor(&before);
    assert_int_equal(tg_posix_port_init(&port, &cfg), 0);
    assert_int_equal(tg_posix_port_start(&port, &unused, run_once, &port), 0);
    assert_int_equal(tg_posix_port_spawn(&port, 31u, run_raiser, &port, &raiser), 0);
    assert_int_equal(tg_posix_port_spawn(&port, 10u, run_busy, NULL, &busy), 0);
    (void)pthread_join(raiser, NULL);
    (void)pthread_join(busy, NULL);
    assert_true(atomic_load(&has_run));
    tg_posix_port_stop(&port);
    tg_posix_port_destroy(&port);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* One processor. The lowest thread has the lock and stands below the busy one, which ends when the
 * most urgent one has had the lock: only what the owner inherits lets it give the lock back. */
static atomic_bool is_held;

static void *run_owner(void *arg)
{
    const uint32_t state = tg_port_lock(arg);

    atomic_store(&is_held, true);
    while (!atomic_load(&is_busy)) {
        rest(100000);
    }
    tg_port_unlock(arg, state);
    return NULL;
}

static void *run_urgent(void *arg)
{
    while (!atomic_load(&is_busy)) {
        rest(100000);
    }
    const uint32_t state = tg_port_lock(arg);

    atomic_store(&has_run, true);
    tg_port_unlock(arg, state);
    return NULL;
}

static void the_owner_of_the_lock_inherits(void **state)
{
    const struct tg_posix_config cfg = {.first_priority = FIRST_PRIORITY,
                                        .poll_priority = TG_POSIX_POLL_IN_TICK};
    struct tg_posix_port port;
    cpu_set_t before;
    pthread_t owner;
    pthread_t urgent;
    pthread_t busy;
    void *has_seen_it;

    (void)state;
    atomic_store(&is_busy, false);
    atomic_store(&has_run, false);
    use_one_processor(&before);
    assert_int_equal(tg_posix_port_init(&port, &cfg), 0);
    assert_int_equal(tg_posix_port_spawn(&port, 1u, run_owner, &port, &owner), 0);
    while (!atomic_load(&is_held)) {
        rest(100000);
    }
    assert_int_equal(tg_posix_port_spawn(&port, 31u, run_urgent, &port, &urgent), 0);
    assert_int_equal(tg_posix_port_spawn(&port, 10u, run_busy, NULL, &busy), 0);
    (void)pthread_join(busy, &has_seen_it);
    (void)pthread_join(urgent, NULL);
    (void)pthread_join(owner, NULL);
    assert_non_null(has_seen_it);
    tg_posix_port_destroy(&port);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* A wake as soon as the last one has been told, so that it meets a thread on its way to sleep. */
#define WAKES 2000u

static atomic_uint wakes_told;

static void count_wakes(void *arg)
{
    while (tg_posix_port_wait(arg, TG_POSIX_FOREVER) == TG_POSIX_WOKEN) {
        atomic_fetch_add(&wakes_told, 1u);
    }
}

static bool is_told(struct tg_posix_port *port, uint32_t i)
{
    const tg_ns until_ns = tg_posix_port_now_ns() + BUSY_MAX_NS;
    const uint32_t state = tg_port_lock(port);

    tg_port_wake(port);
    tg_port_unlock(port, state);
    while (atomic_load(&wakes_told) <= i && tg_posix_port_now_ns() < until_ns) {
        rest((long)(i % 64u) * 1000);
    }
    return atomic_load(&wakes_told) == i + 1u;
}

static void no_wake_is_lost(void **state)
{
    const struct tg_posix_config cfg = {.first_priority = FIRST_PRIORITY,
                                        .poll_priority = TG_POSIX_POLL_IN_TICK};
    static struct tg_protocol unused;
    struct tg_posix_port port;
    uint32_t told = 0u;

    (void)state;
    assert_int_equal(tg_posix_port_init(&port, &cfg), 0);
    assert_int_equal(tg_posix_port_start(&port, &unused, count_wakes, &port), 0);
    while (told < WAKES && is_told(&port, told)) {
        told++;
    }
    assert_int_equal(told, WAKES); /* first: stopping wakes the thread, too */
    tg_posix_port_stop(&port);
    tg_posix_port_destroy(&port);
}

/* A child is another thread to the kernel than the one it is a copy of. */
static void a_child_is_another_owner(void **state)
{
    const struct tg_posix_config cfg = {.first_priority = FIRST_PRIORITY,
                                        .poll_priority = TG_POSIX_POLL_IN_TICK};
    struct tg_posix_port port;
    int status;

    (void)state;
    assert_int_equal(tg_posix_port_init(&port, &cfg), 0);
    tg_port_unlock(&port, tg_port_lock(&port)); /* this thread is known from here on */
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        (void)!tg_port_lock(&port);
        _exit(atomic_load(&port.owner) == (uint32_t)syscall(SYS_gettid) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tg_posix_port_destroy(&port);
}

static int priority_of(const struct tg_posix_thread *thread)
{
    struct sched_param param;
    int policy;

    assert_int_equal(pthread_getschedparam(thread->id, &policy, &param), 0);
    assert_int_equal(policy, tg_posix_port_is_realtime(&machine.port) ? SCHED_FIFO : SCHED_OTHER);
    return policy == SCHED_FIFO ? param.sched_priority : -1;
}

/* Receive threads above all core priorities in the order of their ranks (those of the world's
 * queues are their numbers), the tick above them. */
static void threads_stand_in_order(void **state)
{
    const struct world_config cfg = {.gates = {{.budget = {.kind = TG_SERVER_UNLIMITED}},
                                               {.budget = {.kind = TG_SERVER_UNLIMITED}}},
                                     .gate_of = {0u, 1u}};
    struct world *const w = world_open(&cfg);

    (void)state;
    harness_start(w);
    const int lower = priority_of(&machine.port.receive[0].thread);
    const int upper = priority_of(&machine.port.receive[1].thread);
    const int tick = priority_of(&machine.port.tick_thread);

    if (tg_posix_port_is_realtime(&machine.port)) {
        assert_true(lower >= FIRST_PRIORITY + (int)TG_PRIORITIES);
        assert_true(upper > lower);
        assert_true(tick > upper);
    }
    harness_stop(w);
    world_close(w);
}

/* ---- Without the right ----------------------------------------------------------------------- */

/* What an ordinary user lacks. The rest of root's rights stay: they play no part in this. */
static void give_up_the_right(void)
{
    const struct rlimit none = {0u, 0u};
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || syscall(SYS_capget, &header, data) != 0) {
        abort();
    }
    data[0].effective &= ~(1u << CAP_SYS_NICE);
    data[0].permitted &= ~(1u << CAP_SYS_NICE);
    if (syscall(SYS_capset, &header, data) != 0) {
        abort();
    }
}

static uint32_t times_said(const char *text, const char *what)
{
    uint32_t n = 0u;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        n++;
    }
    return n;
}

/* This program again, without the right: what it says on both streams, cut at size_bytes. */
static int run_plain(char *said, size_t size_bytes)
{
    size_t len = 0u;
    ssize_t n;
    int fds[2];
    int status;

    assert_int_equal(pipe(fds), 0);
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(fds[1], STDOUT_FILENO);
        (void)dup2(fds[1], STDERR_FILENO);
        (void)execl("/proc/self/exe", "port_posix", "plain", (char *)NULL);
        _exit(127);
    }
    (void)close(fds[1]);
    while ((n = read(fds[0], said + len, size_bytes - 1u - len)) > 0) {
        len += (size_t)n;
    }
    said[len] = '\0';
    (void)close(fds[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void goes_on_without_the_right(void **state)
{
    static char said[65536];
    char started[64];
    const int status = run_plain(said, sizeof(said));

    (void)state;
    if (status != 0) {
        fprintf(stderr, "%s\n", said);
    }
    assert_int_equal(status, 0);
    (void)snprintf(started, sizeof(started), "ports started: %u\n",
                   times_said(said, "CAP_SYS_NICE, or RLIMIT_RTPRIO"));
    assert_non_null(strstr(said, started)); /* each says it once, with the names of the rights */
}

static int run_plain_cases(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_raise_preempts),
        cmocka_unit_test(threads_stand_in_order),
    };
    int failed;

    give_up_the_right();
    failed = conformance_run("posix without the right to real-time priorities");
    failed += cmocka_run_group_tests_name("posix port, plain", cases, NULL, NULL);
    printf("ports started: %u\n", machine.started + 1u); /* and that of a_raise_preempts */
    return failed;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(refuses_priorities_out_of_range),
        cmocka_unit_test(wait_ends_by_timeout),
        cmocka_unit_test(a_raise_preempts),
        cmocka_unit_test(the_owner_of_the_lock_inherits),
        cmocka_unit_test(no_wake_is_lost),
        cmocka_unit_test(a_child_is_another_owner),
        cmocka_unit_test(threads_stand_in_order),
        cmocka_unit_test(goes_on_without_the_right),
    };
    int failed;

    if (argc == 2 && strcmp(argv[1], "plain") == 0) {
        return run_plain_cases() != 0;
    }
    failed = conformance_run("posix, polling in the tick thread");
    if (failed != 0) {
        return 1; /* what a failed case has left behind still runs */
    }
    machine.poll_priority = 20u;
    failed = conformance_run("posix, polling in a thread of its own");
    failed += cmocka_run_group_tests_name("posix port", cases, NULL, NULL);
    return failed != 0;
}
