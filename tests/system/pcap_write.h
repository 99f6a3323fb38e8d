/* SPDX-License-Identifier: MIT
 *
 * pcap_write.h - captures made by the tests, byte for byte the same on every machine.
 */
#ifndef TG_TESTS_PCAP_WRITE_H
#define TG_TESTS_PCAP_WRITE_H

#include <stdint.h>
#include <stdio.h>

#define PCAP_LINK_ETHERNET 1u

/* The head of a file with times in nanoseconds, little endian. */
void pcap_write_head(FILE *out, uint32_t link_type);

/* One frame: n_bytes of its len_bytes were captured. */
void pcap_write_frame(FILE *out, uint64_t at_ns, const uint8_t *bytes, uint32_t n_bytes,
                      uint32_t len_bytes);

#endif
