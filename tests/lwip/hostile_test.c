/* SPDX-License-Identifier: MIT
 *
 * hostile_test.c - hostile_test FILE.tsv... DIRECTORY...: every frame of the vector files, every
 * input of the fuzz corpora, through ring, adaptor and lwIP; as it is, and with checksums that lwIP
 * believes. Each comes in the midst of a connection, and nothing may leak, stop, or end it.
 *
 * Prints `N passed, N failed`; a frame counts once. Exit: 0; 1 if one failed.
 */
#include "station.h"
#include "check_cmocka.h"
#include "tg_lwip_services.h"

#include <lwip/ip4_frag.h>
#include <lwip/ip6_frag.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/tcpip.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 2 * 65535 + 256, TCP_PORT = 80, UDP_PORT = 5000, PATH_BYTES = 4096 };

static struct station station;
static int listener;
static int udp;
static struct peer_tcp peer;
static int connection;
static unsigned passed;
static unsigned failed;

static void start(void)
{
    static const struct tg_flow_config services[] = {TG_LWIP_SERVICE_FLOWS};
    struct rig_config c = station_config();
    const struct tg_lwip_flow tcp_flow = station_listener_flow(4u);
    const struct tg_lwip_flow udp_flow = station_flow(6u, 4u);

    for (uint32_t i = 0u; i < TG_LWIP_N_SERVICE_FLOWS; i++) {
        rig_add_flow(&c, services[i]);
    }
    station_start(&station, &c);
    udp = station_bound(SOCK_DGRAM, UDP_PORT);
    listener = station_bound(SOCK_STREAM, TCP_PORT);
    assert_int_equal(station_set_flow(udp, &udp_flow), 0);
    assert_int_equal(station_set_flow(listener, &tcp_flow), 0);
    assert_int_equal(lwip_listen(listener, 4), 0);
    peer_connects(&peer, &station, 2000u, TCP_PORT);
    connection = lwip_accept(listener, NULL, NULL);
    assert_true(connection >= 0);
    assert_int_equal(lwip_fcntl(connection, F_SETFL, O_NONBLOCK), 0);
}

static void stop(void)
{
    assert_int_equal(lwip_close(connection), 0);
    assert_int_equal(lwip_close(listener), 0);
    assert_int_equal(lwip_close(udp), 0);
    station_stop(&station);
}

/* What a frame may have left: half of a handshake, a datagram, a fragment. */
static void tidy(void)
{
    char byte;

    while (lwip_recv(udp, &byte, 1, 0) >= 0) {
    }
    LOCK_TCPIP_CORE();
    for (uint32_t i = 0u; i < IP_REASS_MAXAGE + 1u; i++) {
        ip_reass_tmr();
        ip6_reass_tmr();
    }
    UNLOCK_TCPIP_CORE();
    station_tcp_ticks(&station, 4u);
    rig_wait(&station.rig, TG_LWIP_SERVICE_PERIOD_NS);
}

/* The connection still carries a byte there and an acknowledgement back. */
static bool connection_lives(void)
{
    char byte;

    (void)station_take_sent(&station);
    peer_sends(&peer, 1u);
    if (lwip_recv(connection, &byte, 1, 0) != 1 || byte != (char)(peer.seq - 1u)) {
        return false;
    }
    station_tcp_ticks(&station, 1u); /* a delayed acknowledgement */
    return station.n_sent > 0u;
}

static void deliver(const struct frame *f)
{
    station_deliver(&station, f);
}

static void try_frame(const char *name, const uint8_t *bytes, size_t len_bytes, uint32_t tci)
{
    struct frame f = {.len_bytes = (uint32_t)len_bytes, .tci = tci};

    if (len_bytes > sizeof f.bytes) {
        return; /* longer than a buffer: no driver hands it over */
    }
    memcpy(f.bytes, bytes, len_bytes);
    deliver(&f);
    peer_seal(&f);
    deliver(&f);
    tidy();
    const uint32_t held = station_held(&station);

    if (held == 0u && connection_lives()) {
        passed++;
        return;
    }
    failed++;
    printf("%s: %u packets are held, or the connection has ended\n", name, held);
}

static size_t from_hex(const char *text, uint8_t *out)
{
    size_t n = 0u;
    unsigned byte;

    while (sscanf(text + 2u * n, "%2x", &byte) == 1) {
        out[n++] = (uint8_t)byte;
    }
    return n;
}

static void try_vectors(const char *path)
{
    static char line[LINE_BYTES];
    static uint8_t bytes[LINE_BYTES / 2];
    FILE *const file = fopen(path, "r");

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line;
        const char *const name = strsep(&rest, "\t");
        const char *const expected = strsep(&rest, "\t");
        const char *const hex = strsep(&rest, "\t\n");

        if (line[0] != '#' && expected != NULL && hex != NULL) {
            const unsigned long tci =
                rest != NULL && *rest != '\0' ? strtoul(rest, NULL, 0) : TG_TCI_NONE;

            try_frame(name, bytes, from_hex(hex, bytes), (uint32_t)tci);
        }
    }
    (void)fclose(file);
}

/* Inputs of any target are bytes, which somebody may send. */
static void try_corpus(const char *directory)
{
    static uint8_t bytes[1 << 16];
    DIR *const dir = opendir(directory);

    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[PATH_BYTES];

        if (entry->d_name[0] == '.') {
            continue;
        }
        assert_true(snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) < PATH_BYTES);
        FILE *const file = fopen(path, "rb");

        assert_non_null(file);
        const size_t n = fread(bytes, 1u, sizeof bytes, file);

        (void)fclose(file);
        try_frame(path, bytes, n, TG_TCI_NONE);
        if (n > 3u) { /* behind the head of fuzz/frame.c */
            try_frame(path, bytes + 3, n - 3u, TG_TCI_NONE);
        }
    }
    (void)closedir(dir);
}

int main(int argc, char **argv)
{
    start();
    for (int i = 1; i < argc; i++) {
        const size_t len = strlen(argv[i]);

        if (len > 4u && strcmp(argv[i] + len - 4u, ".tsv") == 0) {
            try_vectors(argv[i]);
        } else {
            try_corpus(argv[i]);
        }
    }
    stop();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0u || passed == 0u;
}
