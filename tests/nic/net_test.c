/* SPDX-License-Identifier: MIT
 *
 * net_test.c - frames from and to a network: a station sends through a TAP device and through a
 * veth pair, the guest echoes, and the station gets its frames back, byte for byte. In a network
 * namespace that ends with this program.
 */
#include "guest.h"
#include "net.h"
#include "process.h"
#include "test_frame.h"

#include "nic/device/frames.h"

#include "check_cmocka.h"

#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ECHOES      60u
#define ROOM        1024u /* frames that wait in the kernel for the NIC */
#define PATIENCE_MS 5000u

static int enter(void **state)
{
    (void)state;
    return net_enter() ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    process_clean();
    return 0;
}

struct station {
    const char *interface;
    uint32_t answers;
    atomic_bool is_done;
};

/* Sends one frame at a time and waits for its echo. */
static void *run_station(void *arg)
{
    struct station *const s = arg;
    const int socket = net_open(s->interface);
    uint8_t answer[2048];

    for (uint32_t i = 0u; i < ECHOES && socket >= 0; i++) {
        /* Tagged ones to a port of their own: a packet socket does not show the tags of echoes. */
        const uint16_t port = (i & 1u) != 0u ? 5002u : (uint16_t)(5000u + i / 2u % 2u);
        struct frame_spec spec = {.dst_port = port, .payload_bytes = (uint16_t)(20u * i)};

        /* Every other one tagged: the kernel strips tags on its way, and they must be put back. */
        spec.n_tags = i & 1u;
        spec.tags[0].tci = 0x2064u;
        const struct frame f = frame_build(&spec);

        if (!net_send(socket, f.bytes, f.len_bytes)) {
            break;
        }
        if (spec.n_tags != 0u) {
            continue; /* the guest counts these */
        }
        const uint32_t n = net_receive_udp(socket, port, answer, sizeof answer);

        /* The addresses have changed places; all else is as it was. */
        if (n != f.len_bytes || memcmp(answer, f.bytes + 6, 6u) != 0 ||
            memcmp(answer + 6, f.bytes, 6u) != 0 ||
            memcmp(answer + 12, f.bytes + 12, f.len_bytes - 12u) != 0) {
            break;
        }
        s->answers++;
    }
    (void)close(socket);
    atomic_store(&s->is_done, true);
    return NULL;
}

static uint32_t tagged;

static void look_for_tag(const struct tg_buffer *packet)
{
    const uint8_t tag[4] = {0x81, 0x00, 0x20, 0x64};

    tagged += memcmp(packet->data + 12, tag, sizeof tag) == 0;
}

static void echo_through(const char *frames, const char *interface, const char *make_up)
{
    struct station station = {.interface = interface};
    struct process nic;
    struct process_report report;
    struct guest g;
    pthread_t thread;

    tagged = 0u;
    process_start(&nic, frames);
    assert_true(net_ip(make_up));
    assert_true(guest_connect(&g, process_socket()));
    assert_int_equal(guest_start(&g), 0);
    g.echoes = true;
    g.on_packet = look_for_tag;
    assert_int_equal(pthread_create(&thread, NULL, run_station, &station), 0);
    for (uint32_t n = 0u; n < 1000u && !atomic_load(&station.is_done); n++) {
        guest_run(&g, UINT64_MAX, 20u);
    }
    guest_run(&g, UINT64_MAX, 100u);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(station.answers, ECHOES / 2u);
    assert_int_equal(tagged, ECHOES / 2u);
    assert_int_equal(g.received[1], ECHOES / 4u);
    assert_int_equal(g.received[2], ECHOES / 4u);
    assert_int_equal(g.received[3], ECHOES / 2u);
    process_ask(&nic, &report);
    assert_true(process_count(&report, TG_NIC_TX_SENT) >= ECHOES);
    assert_int_equal(process_count(&report, TG_NIC_TX_DROPPED), 0u);
    guest_stop(&g);
    guest_disconnect(&g);
    process_stop(&nic);
}

static void a_tap_device(void **state)
{
    (void)state;
    echo_through("tap:tgtap", "tgtap", "link set tgtap up");
}

static void a_veth_pair(void **state)
{
    (void)state;
    assert_true(net_ip("link add tgveth0 type veth peer name tgveth1"));
    assert_true(net_ip("link set tgveth0 up"));
    echo_through("veth:tgveth0", "tgveth1", "link set tgveth1 up");
}

/* Frames that are there now. */
static uint32_t take_all(struct tg_nic_frames *f)
{
    static uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES];
    uint32_t n = 0u;

    while (f->kind->take(f, bytes) != 0u) {
        n++;
    }
    return n;
}

/* The kernel drops what is sent until it has noticed that the other end is there. */
static void wait_for_the_wire(struct tg_nic_frames *f, int peer, const struct frame *frame)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    for (uint32_t i = 0u; i < PATIENCE_MS && take_all(f) == 0u; i++) {
        (void)net_send(peer, frame->bytes, frame->len_bytes);
        (void)nanosleep(&moment, NULL);
    }
    (void)take_all(f);
}

/* The sum of RFC 1071 over 16-bit words; n is even. */
static uint32_t sum_of(const uint8_t *bytes, uint32_t n, uint32_t sum)
{
    for (uint32_t i = 0u; i < n; i += 2u) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1u];
    }
    while (sum > UINT16_MAX) {
        sum = (sum & UINT16_MAX) + (sum >> 16);
    }
    return sum;
}

/* A sender of this machine has left the sum to its hardware, behind a tag that the kernel takes
 * out: the guest gets both. */
static void tag_and_checksum_are_whole_again(struct tg_nic_frames *f, int peer)
{
    const struct frame_spec spec = {
        .n_tags = 1u, .tags = {{.tci = 0x2064u}}, .dst_port = 5000u, .payload_bytes = 100u};
    static uint8_t bytes[TG_NIC_FRAMES_ROOM_BYTES];
    struct frame frame = frame_build(&spec);
    const uint32_t udp_bytes = frame.len_bytes - frame.l4;
    const uint32_t pseudo = sum_of(frame.bytes + frame.l3 + 12u, 8u, PROTO_UDP + udp_bytes);
    struct {
        struct virtio_net_hdr hint;
        uint8_t bytes[FRAME_MAX_BYTES];
    } sent = {.hint = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
                       .csum_start = (uint16_t)frame.l4,
                       .csum_offset = 6u}};
    const int one = 1;

    frame.bytes[frame.l4 + 6u] = (uint8_t)(pseudo >> 8);
    frame.bytes[frame.l4 + 7u] = (uint8_t)pseudo;
    memcpy(sent.bytes, frame.bytes, frame.len_bytes);
    assert_int_equal(setsockopt(peer, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof one), 0);
    assert_true(
        net_send(peer, (const uint8_t *)&sent, (uint32_t)sizeof sent.hint + frame.len_bytes));
    assert_int_equal(f->kind->take(f, bytes), frame.len_bytes);
    assert_int_equal(sum_of(bytes + frame.l4, udp_bytes, pseudo), UINT16_MAX);
    bytes[frame.l4 + 6u] = frame.bytes[frame.l4 + 6u];
    bytes[frame.l4 + 7u] = frame.bytes[frame.l4 + 7u];
    assert_memory_equal(bytes, frame.bytes, frame.len_bytes);
}

static void what_the_kernel_changed_or_dropped(void **state)
{
    const struct tg_nic_setup setup = {.station.mtu_bytes = 1500u};
    const struct frame frame = frame_udp(5000u);
    char message[TG_NIC_FRAMES_MESSAGE_BYTES];
    struct tg_nic_frames *f = NULL;

    (void)state;
    assert_true(net_ip("link add tgveth2 type veth peer name tgveth3"));
    assert_true(net_ip("link set tgveth2 addrgenmode none up"));
    assert_true(net_ip("link set tgveth3 addrgenmode none up"));
    const int peer = net_open("tgveth3");

    assert_int_equal(tg_nic_frames_open("veth:tgveth2", &setup, &f, message), 0);
    wait_for_the_wire(f, peer, &frame);
    const int offloading = net_open("tgveth3");

    tag_and_checksum_are_whole_again(f, offloading);
    (void)close(offloading);
    for (uint32_t i = 0u; i < ROOM + 5u; i++) {
        (void)net_send(peer, frame.bytes, frame.len_bytes);
    }
    assert_int_equal(take_all(f), ROOM);
    assert_int_equal(tg_nic_frames_lost(f), 5u);

    /* Once the interface is gone the process must not wake up for it any more. */
    assert_true(net_ip("link del tgveth2"));
    assert_int_equal(take_all(f), 0u);
    assert_int_equal(f->fd, -1);
    tg_nic_frames_close(f);
    (void)close(peer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tap_device),
        cmocka_unit_test(a_veth_pair),
        cmocka_unit_test(what_the_kernel_changed_or_dropped),
    };

    cmocka_set_test_filter(getenv("TG_CASE"));
    return cmocka_run_group_tests(tests, enter, leave);
}
