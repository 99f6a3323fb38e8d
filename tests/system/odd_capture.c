/* SPDX-License-Identifier: MIT
 *
 * odd_capture.c - captures that `tidegate classify` has to cope with.
 *
 *     odd_capture KIND FILE
 */
#include "pcap_write.h"
#include "test_frame.h"

#include <stdlib.h>
#include <string.h>

static void put(FILE *out, const struct frame *f, uint64_t at_ns, uint32_t n_bytes)
{
    pcap_write_frame(out, at_ns, f->bytes, n_bytes, f->len_bytes);
}

/* Linux cooked: no Ethernet header in front. */
static void write_cooked(FILE *out)
{
    const struct frame f = frame_udp(5000u);

    pcap_write_head(out, 113u);
    put(out, &f, 1u, f.len_bytes);
}

/* Cut to 40 bytes: enough for UDP over IPv4, one byte too few for a tagged one, no header of
 * IPv6. */
static void write_cut(FILE *out)
{
    const struct frame_spec tagged = {.n_tags = 1u, .dst_port = 5000u, .payload_bytes = 500u};
    const struct frame_spec ip6 = {.family = 6u, .dst_port = 5000u, .payload_bytes = 500u};
    const struct frame_spec plain = {.dst_port = 5000u, .payload_bytes = 500u};
    const struct frame_spec *const specs[] = {&plain, &tagged, &ip6};

    pcap_write_head(out, PCAP_LINK_ETHERNET);
    for (uint32_t i = 0u; i < 3u; i++) {
        const struct frame f = frame_build(specs[i]);

        put(out, &f, 1u, 40u);
    }
}

/* A budget of 1 per period lets one packet pass at each time, the later one of the two first. */
static void write_backwards(FILE *out)
{
    const struct frame f = frame_udp(5000u);

    pcap_write_head(out, PCAP_LINK_ETHERNET);
    put(out, &f, UINT64_C(5000000000), f.len_bytes);
    put(out, &f, UINT64_C(2000000000), f.len_bytes);
    put(out, &f, UINT64_C(2000000001), f.len_bytes);
    put(out, &f, UINT64_C(4000000000), f.len_bytes);
}

/* What segmentation offload leaves in captures: longer than any frame on a wire. */
static void write_huge(FILE *out)
{
    struct frame f = frame_udp(5000u);

    pcap_write_head(out, PCAP_LINK_ETHERNET);
    pcap_write_frame(out, 1u, f.bytes, f.len_bytes, 70000u);
    pcap_write_frame(out, 2u, f.bytes, f.len_bytes, 65535u);
    pcap_write_frame(out, 3u, f.bytes, f.len_bytes, 9014u);
}

/* A length that no frame has, behind a good one. */
static void write_damaged(FILE *out)
{
    const struct frame f = frame_udp(5000u);

    pcap_write_head(out, PCAP_LINK_ETHERNET);
    put(out, &f, 1u, f.len_bytes);
    pcap_write_frame(out, 2u, f.bytes, 4u, 4u);
    (void)fseek(out, -12, SEEK_CUR);
    pcap_write_frame(out, UINT64_C(9999999999999999999), f.bytes, 0u, UINT32_MAX);
    for (uint32_t i = 0u; i < 64u; i++) {
        fputc(0xff, out);
    }
}

static void put32(FILE *out, uint32_t x)
{
    for (uint32_t i = 0u; i < 4u; i++) {
        fputc((int)(x >> 8u * i & 0xffu), out);
    }
}

/* One section, one Ethernet interface with times in microseconds, two enhanced packet blocks. */
static void write_pcapng(FILE *out)
{
    const struct frame f = frame_udp(5000u);
    const uint32_t room_bytes = (f.len_bytes + 3u) & ~3u;
    const uint32_t section[] = {0x0a0d0d0au, 28u, 0x1a2b3c4du, 1u, UINT32_MAX, UINT32_MAX, 28u};
    const uint32_t interface[] = {1u, 20u, PCAP_LINK_ETHERNET, 65535u, 20u};

    for (size_t i = 0u; i < sizeof section / sizeof section[0]; i++) {
        put32(out, section[i]);
    }
    for (size_t i = 0u; i < sizeof interface / sizeof interface[0]; i++) {
        put32(out, interface[i]);
    }
    for (uint32_t n = 0u; n < 2u; n++) {
        const uint32_t head[] = {6u,           32u + room_bytes, 0u,         0u,
                                 1000000u * n, f.len_bytes,      f.len_bytes};

        for (size_t i = 0u; i < sizeof head / sizeof head[0]; i++) {
            put32(out, head[i]);
        }
        (void)fwrite(f.bytes, 1u, room_bytes, out);
        put32(out, 32u + room_bytes);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(FILE *out);
    } kinds[] = {{"cooked", write_cooked},       {"cut", write_cut},
                 {"backwards", write_backwards}, {"huge", write_huge},
                 {"damaged", write_damaged},     {"pcapng", write_pcapng}};

    for (size_t i = 0u; argc == 3 && i < sizeof kinds / sizeof kinds[0]; i++) {
        FILE *const out = strcmp(argv[1], kinds[i].name) == 0 ? fopen(argv[2], "wb") : NULL;

        if (out != NULL) {
            kinds[i].write(out);
            return fclose(out) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
        }
    }
    fprintf(stderr, "usage: %s KIND FILE\n", argv[0]);
    return 2;
}
