/* SPDX-License-Identifier: MIT
 *
 * tg_lwip_services.h - flows for what lwIP itself receives: ARP, ICMP, IGMP, MLD, NDP, DHCP, DNS.
 *
 *     static const struct tg_flow_config flows[] = {TG_LWIP_SERVICE_FLOWS, {...}};
 *
 * Each has a budget and a reserve of its own, so a storm of one kind costs its budget and nothing
 * else. Requests and answers are apart where a match can tell: a storm of ARP broadcasts takes no
 * budget from the answers that our own requests wait for. All values are defaults: define the macro
 * before this header to change it. Six shapes of the twelve are taken.
 *
 *     flow                 match                      packets per period    reserve
 *     ARP_BROADCAST        arp, ether broadcast       TG_LWIP_ARP_PKTS      TG_LWIP_SERVICE_RESERVE
 *     ARP                  arp                        TG_LWIP_ARP_PKTS      "
 *     ICMP                 icmp                       TG_LWIP_ICMP_PKTS     "
 *     IGMP                 igmp                       TG_LWIP_GROUP_PKTS    "
 *     NEIGHBOUR            icmp6, ether multicast     TG_LWIP_GROUP_PKTS    "   (NDP, MLD)
 *     ICMP6                icmp6                      TG_LWIP_ICMP_PKTS     "   (NDP answers, echo)
 *     DHCP                 ip, udp dst port 68        TG_LWIP_LEASE_PKTS    "
 *     DNS                  udp src port 53            TG_LWIP_LEASE_PKTS    "
 */
#ifndef TG_LWIP_SERVICES_H
#define TG_LWIP_SERVICES_H

#include "tidegate/flow.h"

/* Refill period of all of them. */
#ifndef TG_LWIP_SERVICE_PERIOD_NS
#define TG_LWIP_SERVICE_PERIOD_NS UINT64_C(100000000)
#endif

/* Core priority of all of them. Above the floor, or a flood of best effort holds ARP up. */
#ifndef TG_LWIP_SERVICE_PRIORITY
#define TG_LWIP_SERVICE_PRIORITY 2u
#endif

/* Buffers of each. lwIP answers at once and holds none of these packets. */
#ifndef TG_LWIP_SERVICE_RESERVE
#define TG_LWIP_SERVICE_RESERVE 4u
#endif

/* Packets per period. */
#ifndef TG_LWIP_ARP_PKTS
#define TG_LWIP_ARP_PKTS 8u /* a neighbour asks once a second, answers as often as we ask */
#endif
#ifndef TG_LWIP_ICMP_PKTS
#define TG_LWIP_ICMP_PKTS 8u /* ping at ten a second, errors for our packets */
#endif
#ifndef TG_LWIP_GROUP_PKTS
#define TG_LWIP_GROUP_PKTS 8u /* queries and reports, router and neighbour solicitations */
#endif
#ifndef TG_LWIP_LEASE_PKTS
#define TG_LWIP_LEASE_PKTS 4u /* one answer a request */
#endif

#define TG_LWIP_SERVICE_FLOW(packets, ...)                                                         \
    {                                                                                              \
        .match = {__VA_ARGS__},                                                                    \
        .budget = {.kind = TG_SERVER_DEFERRABLE,                                                   \
                   .budget_pkts = (packets),                                                       \
                   .period_ns = TG_LWIP_SERVICE_PERIOD_NS},                                        \
        .reserve_pkts = TG_LWIP_SERVICE_RESERVE, .priority = TG_LWIP_SERVICE_PRIORITY              \
    }

#define TG_LWIP_FLOW_ARP_BROADCAST                                                                 \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_ARP_PKTS, .fields = TG_FIELD_TYPE | TG_FIELD_BROADCAST,           \
                         .type = 0x0806u, .broadcast = true)
#define TG_LWIP_FLOW_ARP                                                                           \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_ARP_PKTS, .fields = TG_FIELD_TYPE, .type = 0x0806u)
#define TG_LWIP_FLOW_ICMP                                                                          \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_ICMP_PKTS, .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY,         \
                         .family = 4u, .protocol = 1u)
#define TG_LWIP_FLOW_IGMP                                                                          \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_GROUP_PKTS, .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY,        \
                         .family = 4u, .protocol = 2u)
#define TG_LWIP_FLOW_NEIGHBOUR                                                                     \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_GROUP_PKTS,                                                       \
                         .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY | TG_FIELD_MULTICAST,       \
                         .family = 6u, .protocol = 58u)
#define TG_LWIP_FLOW_ICMP6                                                                         \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_ICMP_PKTS, .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY,         \
                         .family = 6u, .protocol = 58u)
#define TG_LWIP_FLOW_DHCP                                                                          \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_LEASE_PKTS,                                                       \
                         .fields = TG_FIELD_PROTOCOL | TG_FIELD_FAMILY | TG_FIELD_DST_PORT,        \
                         .family = 4u, .protocol = 17u, .dst_port = 68u)
#define TG_LWIP_FLOW_DNS                                                                           \
    TG_LWIP_SERVICE_FLOW(TG_LWIP_LEASE_PKTS, .fields = TG_FIELD_PROTOCOL | TG_FIELD_SRC_PORT,      \
                         .protocol = 17u, .src_port = 53u)

/* All of them. A device without IPv6, DHCP or DNS names those it needs instead. */
#define TG_LWIP_SERVICE_FLOWS                                                                      \
    TG_LWIP_FLOW_ARP_BROADCAST, TG_LWIP_FLOW_ARP, TG_LWIP_FLOW_ICMP, TG_LWIP_FLOW_IGMP,            \
        TG_LWIP_FLOW_NEIGHBOUR, TG_LWIP_FLOW_ICMP6, TG_LWIP_FLOW_DHCP, TG_LWIP_FLOW_DNS
#define TG_LWIP_N_SERVICE_FLOWS 8u

#endif
