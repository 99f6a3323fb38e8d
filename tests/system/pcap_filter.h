/* SPDX-License-Identifier: MIT
 *
 * pcap_filter.h - what a match means, said by libpcap.
 *
 * libpcap knows no "any tag or none", and differs from docs/matches.md in a few places. Each is put
 * right here, by what the filter says, never by leaving frames out:
 *
 *   tags     `vlan` moves the offsets of all that follows, so that a match is three filters:
 *            without tag, behind one, behind two. `vlan` also takes type 0x9100, which is no tag
 *            here: the types are asked for by number before it.
 *   vlan N   is the outermost VID, here and there.
 *   icmp6    libpcap does not step over the hop-by-hop header of 8 bytes that MLD has.
 *   tcpflags libpcap looks for TCP flags in IPv4 only.
 */
#ifndef TG_TESTS_PCAP_FILTER_H
#define TG_TESTS_PCAP_FILTER_H

#include "tidegate/flow.h"

#include <stdbool.h>
#include <stdint.h>

struct pcap_filter;

/* Compile a match; NULL with a message on standard error if libpcap does not take it. */
struct pcap_filter *pcap_filter_new(const struct tg_match *match);

void pcap_filter_free(struct pcap_filter *f);

/* libpcap's answer for a frame with all its tags in the bytes. */
bool pcap_filter_takes(const struct pcap_filter *f, const uint8_t *bytes, uint32_t len_bytes);

#endif
