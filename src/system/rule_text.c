/* SPDX-License-Identifier: MIT
 *
 * rule_text.c - the rules of frame classification in words, as docs/frames.md lists them.
 */
#include "system/rule_text.h"

#define D         "malformed"
#define B         "best effort"
#define F         "matching"
#define D_ELSE_F  "malformed, else matching"
#define EXTENSION "malformed, or best effort; MLD goes on"

static const struct {
    const char *number;
    const char *condition;
    const char *result;
} rules[] = {
    [TG_RULE_RUNT] = {"1", "shorter than 14 bytes", D},
    [TG_RULE_OWN_SOURCE] = {"2", "source address is the station's own", D},
    [TG_RULE_TAG_CUT] = {"3", "tag 0x8100 or 0x88a8 that is cut off", D},
    [TG_RULE_THIRD_TAG] = {"4", "a third tag (a stripped one counts)", B},
    [TG_RULE_OVERSIZE] = {"4a", "longer than MTU + 14 + 4 per tag in the bytes", D},
    [TG_RULE_LLC] = {"5", "type field up to 1500: a length (LLC)", B},
    [TG_RULE_TYPE_GAP] = {"6", "type field 1501 to 1535", D},
    [TG_RULE_ARP] = {"7", "ARP; malformed if cut, or not for IPv4 over Ethernet", D_ELSE_F},
    [TG_RULE_IP4] = {"8", "IPv4 header that is cut, or with impossible version or lengths", D},
    [TG_RULE_IP4_LAND] = {"9", "IPv4 source and destination are the same", D},
    [TG_RULE_IP4_FRAGMENT] = {"10", "IPv4 fragment, the first one included", B},
    [TG_RULE_IP4_OPTIONS] = {"11", "IPv4 options, except before IGMP", B},
    [TG_RULE_IP6] = {"12", "IPv6 header that is cut, or with impossible version or length", D},
    [TG_RULE_IP6_LAND] = {"13", "IPv6 source and destination are the same", D},
    [TG_RULE_IP6_EXTENSION] = {"14", "IPv6 extension header; malformed if cut", EXTENSION},
    [TG_RULE_UDP] = {"15", "UDP; malformed if cut, or with an impossible length", D_ELSE_F},
    [TG_RULE_TCP] = {"16", "TCP; malformed if cut, or with an impossible data offset", D_ELSE_F},
    [TG_RULE_CONTROL] = {"17", "ICMP, IGMP; malformed below 8 bytes; ICMPv6: below 4", D_ELSE_F},
    [TG_RULE_PROTOCOL] = {"18", "any other IP protocol, tunnels too", F " by protocol only"},
    [TG_RULE_TYPE] = {"19", "any other type field", F " by type only"},
};

const char *tg_rule_number(uint32_t rule)
{
    return rules[rule].number;
}

const char *tg_rule_condition(uint32_t rule)
{
    return rules[rule].condition;
}

const char *tg_rule_result(uint32_t rule)
{
    return rules[rule].result;
}
