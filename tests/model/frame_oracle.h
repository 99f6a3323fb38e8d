/* SPDX-License-Identifier: MIT
 *
 * frame_oracle.h - the frame table of docs/frames.md read row by row, slowly and apart from the
 * core.
 */
#ifndef TG_TESTS_FRAME_ORACLE_H
#define TG_TESTS_FRAME_ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#define ORACLE_ROW_4A 20u /* the row that stands between 4 and 5 */
#define ORACLE_NO_TAG UINT32_MAX

struct oracle_frame {
    const uint8_t *bytes;
    uint32_t len_bytes;
    uint32_t stripped_tci;  /* or ORACLE_NO_TAG */
    const uint8_t *station; /* 6 bytes, or NULL: not set */
    uint32_t mtu_bytes;
};

/* What the table says. The fields from vlan on are only filled in for F. */
struct oracle_answer {
    char result;  /* 'D', 'B' or 'F' */
    uint32_t row; /* that decided; for F the one whose "else" it is */
    uint32_t vlan;
    uint32_t priority; /* bits of the outermost tag */
    uint32_t type;
    uint32_t family;   /* 4, 6, or 0 */
    uint32_t protocol; /* with a family */
    uint32_t src_port; /* rows 15 and 16, else 0 */
    uint32_t dst_port;
    bool is_request; /* TCP with SYN and without ACK */
    bool is_group;
    bool is_broadcast;
    uint32_t network;   /* offset of the network header */
    uint32_t transport; /* offset of the transport header, with a family */
    uint32_t transport_bytes;
};

struct oracle_answer oracle_classify(const struct oracle_frame *f);

#endif
