/* SPDX-License-Identifier: MIT
 *
 * pcap_write.c - captures made by the tests. Format: draft-ietf-opsawg-pcap.
 */
#include "pcap_write.h"

static void put32(FILE *out, uint32_t x)
{
    for (uint32_t i = 0u; i < 4u; i++) {
        fputc((int)(x >> 8u * i & 0xffu), out);
    }
}

void pcap_write_head(FILE *out, uint32_t link_type)
{
    put32(out, 0xa1b23c4du);
    put32(out, 2u | 4u << 16); /* version 2.4 */
    put32(out, 0u);
    put32(out, 0u);
    put32(out, 65535u);
    put32(out, link_type);
}

void pcap_write_frame(FILE *out, uint64_t at_ns, const uint8_t *bytes, uint32_t n_bytes,
                      uint32_t len_bytes)
{
    put32(out, (uint32_t)(at_ns / UINT64_C(1000000000)));
    put32(out, (uint32_t)(at_ns % UINT64_C(1000000000)));
    put32(out, n_bytes);
    put32(out, len_bytes);
    (void)fwrite(bytes, 1u, n_bytes, out);
}
