/* SPDX-License-Identifier: MIT
 *
 * shape_text.c - shapes of matches in words, in the order of the canonical form of a match.
 */
#include "system/shape_text.h"

#include <stdio.h>
#include <string.h>

static const char *subject(uint32_t fields)
{
    const bool has_family = (fields & TG_FIELD_FAMILY) != 0u;
    const bool has_host = (fields & (TG_FIELD_SRC_HOST | TG_FIELD_DST_HOST)) != 0u;

    if ((fields & TG_FIELD_TYPE) != 0u) {
        return has_family ? "ip|ip6" : "ether proto";
    }
    if ((fields & TG_FIELD_PROTOCOL) == 0u) {
        return "";
    }
    if ((fields & (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)) == 0u) {
        return "ip|ip6 proto";
    }
    if ((fields & TG_FIELD_SYN) != 0u) {
        return has_family && !has_host ? "ip|ip6 and tcp" : "tcp";
    }
    return has_family && !has_host ? "ip|ip6 and udp|tcp" : "udp|tcp";
}

const char *tg_shape_text(uint32_t fields, char text[TG_SHAPE_TEXT_BYTES])
{
    static const struct {
        uint32_t field;
        const char *text;
    } details[] = {
        {TG_FIELD_DST_PORT, "dst port"},         {TG_FIELD_SRC_PORT, "src port"},
        {TG_FIELD_SRC_HOST, "src host"},         {TG_FIELD_DST_HOST, "dst host"},
        {TG_FIELD_SYN, "tcp[tcpflags]"},         {TG_FIELD_BROADCAST, "[not] ether broadcast"},
        {TG_FIELD_MULTICAST, "ether multicast"},
    };
    const char *joint = "";
    size_t length =
        (size_t)snprintf(text, TG_SHAPE_TEXT_BYTES, "%s%s",
                         (fields & TG_FIELD_VLAN) != 0u ? "vlan and " : "", subject(fields));

    if (subject(fields)[0] != '\0') {
        joint = (fields & (TG_FIELD_DST_PORT | TG_FIELD_SRC_PORT)) != 0u ? " " : " and ";
    }
    if (subject(fields)[0] == '\0' && (fields & TG_FIELD_BROADCAST) != 0u) {
        (void)snprintf(text + length, TG_SHAPE_TEXT_BYTES - length, "ether broadcast");
        return text; /* "not" does not stand alone */
    }
    for (size_t i = 0u; i < sizeof details / sizeof details[0]; i++) {
        if ((fields & details[i].field) != 0u) {
            length += (size_t)snprintf(text + length, TG_SHAPE_TEXT_BYTES - length, "%s%s", joint,
                                       details[i].text);
            joint = " and ";
        }
    }
    return text;
}
