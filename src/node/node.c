/* SPDX-License-Identifier: MIT
 *
 * node.c - start, read and stop a node.
 */
#include "node.h"
#include "command.h"
#include "services.h"

#include "tg_sys.h"

#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/ip4_frag.h>
#include <lwip/ip6_frag.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/tcpip.h>
#include <netif/ethernet.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Core priority 0 on the scale of SCHED_FIFO: above the usual real-time threads of a desktop, all
 * levels below the kernel's own at 50 and more. */
#define FIRST_PRIORITY 5

#define PARTS_MAX 16 /* pbufs of one packet to send */

const struct tg_path_driver *tg_node_driver(const struct tg_node *node)
{
    return node->cfg.policy == TG_SIM_TIDEGATE ? &tg_path_tidegate : &tg_path_stock;
}

/* ---- The interface of lwIP ------------------------------------------------------------------- */

err_t tg_node_input(struct pbuf *p, struct netif *netif)
{
    struct tg_node *const node = netif->state;
    const struct tg_node_packet packet = tg_node_driver(node)->packet(node, p);
    const err_t err = ethernet_input(p, netif);

    /* A packet with a receiver is delivered when its job has ended. */
    if (!tg_services_took(node->services)) {
        tg_measure_delivered(&node->measure, packet.flow, packet.arrival_ns,
                             tg_posix_port_now_ns());
    }
    return err;
}

static err_t send_packet(struct netif *netif, struct pbuf *p)
{
    const struct tg_node *const node = netif->state;
    struct iovec parts[PARTS_MAX];
    int n = 0;

    for (const struct pbuf *part = p; part != NULL; part = part->next) {
        if (n == PARTS_MAX) {
            return ERR_BUF;
        }
        parts[n++] = (struct iovec){.iov_base = part->payload, .iov_len = part->len};
    }
    return tg_iface_send(node->iface, parts, n) ? ERR_OK : ERR_IF;
}

static err_t init_netif(struct netif *netif)
{
    const struct tg_node *const node = netif->state;
    const struct tg_station *const station = &node->system->receive.station;

    netif->name[0] = 't';
    netif->name[1] = 'g';
    netif->output = etharp_output;
    netif->output_ip6 = ethip6_output;
    netif->linkoutput = send_packet;
    netif->mtu = (u16_t)station->mtu_bytes;
    netif->hwaddr_len = ETH_HWADDR_LEN;
    for (uint32_t i = 0u; i < ETH_HWADDR_LEN; i++) {
        netif->hwaddr[i] = (uint8_t)(station->mac >> (8u * i)); /* as tg_mac has it */
    }
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET |
                   NETIF_FLAG_IGMP | NETIF_FLAG_MLD6 | NETIF_FLAG_LINK_UP;
    return ERR_OK;
}

static void add_netif(struct tg_node *node)
{
    const ip4_addr_t no_gateway = {0u};

    LOCK_TCPIP_CORE();
    (void)netif_add(&node->netif, &node->cfg.address, &node->cfg.netmask, &no_gateway, node,
                    init_netif, ethernet_input);
    netif_create_ip6_linklocal_address(&node->netif, 1);
    netif_set_default(&node->netif);
    netif_set_up(&node->netif);
    UNLOCK_TCPIP_CORE();
}

/* ---- lwIP ------------------------------------------------------------------------------------ */

/* The priority of tcpip_thread is that of its work: timers alone, or every packet. */
static int spawn(void *context, uint32_t priority, void *(*body)(void *arg), void *arg,
                 pthread_t *id)
{
    struct tg_node *const node = context;
    const enum tg_sim_policy policy = node->cfg.policy;
    const bool is_high = policy == TG_SIM_STOCK_HIGH || policy == TG_SIM_STOCK_LIMITED;

    (void)priority;
    return tg_posix_port_spawn(&node->port, is_high ? TG_PRIORITIES - 1u : node->core.config.floor,
                               body, arg, id);
}

static void lwip_is_up(void *arg)
{
    sys_sem_signal(arg);
}

static int start_lwip(struct tg_node *node)
{
    sys_sem_t up;

    if (sys_sem_new(&up, 0u) != ERR_OK) {
        return -1;
    }
    tg_sys_set_spawn(spawn, node);
    tcpip_init(lwip_is_up, &up);
    (void)sys_arch_sem_wait(&up, 0u);
    sys_sem_free(&up);
    add_netif(node);
    return 0;
}

/* Whatever lwIP still keeps: connections, fragments that wait for others, packets that wait for an
 * address. */
static void empty_lwip(struct tg_node *node)
{
    LOCK_TCPIP_CORE();
    while (tcp_active_pcbs != NULL) {
        tcp_abort(tcp_active_pcbs);
    }
    for (uint32_t s = 0u; s <= LWIP_MAX(IP_REASS_MAXAGE, IPV6_REASS_MAXAGE); s++) {
        ip_reass_tmr();
        ip6_reass_tmr();
    }
    netif_remove(&node->netif);
    UNLOCK_TCPIP_CORE();
}

/* ---- Start and stop -------------------------------------------------------------------------- */

static int open_interface(struct tg_node *node)
{
    uint32_t n_queues;
    const struct tg_system_queue *const queue =
        tg_sim_queues(node->system, node->cfg.policy, &n_queues);
    char text[512] = "";

    if (tg_iface_open(node->cfg.interface, queue->ring_pkts,
                      node->system->receive.station.mtu_bytes, &node->iface, text,
                      sizeof text) != 0) {
        fprintf(stderr, "tidegate run: %s\n", text);
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

static int out_of_memory(void)
{
    fputs("tidegate run: out of memory\n", stderr);
    return TG_EXIT_LACKS;
}

static int start_parts(struct tg_node *node)
{
    const struct tg_posix_config port = {.first_priority = FIRST_PRIORITY,
                                         .floor = node->core.config.floor,
                                         .poll_priority = node->system->receive.polled_by_task
                                                              ? node->system->receive.poll_priority
                                                              : TG_POSIX_POLL_IN_TICK};

    if (tg_measure_init(&node->measure, node->system) != 0) {
        return out_of_memory();
    }
    if (tg_posix_port_init(&node->port, &port) != 0 || start_lwip(node) != 0) {
        fputs("tidegate run: the threads cannot be set up\n", stderr);
        return TG_EXIT_LACKS;
    }
    node->services = tg_services_open(node);
    if (node->services == NULL) {
        return TG_EXIT_LACKS;
    }
    node->start_ns = tg_posix_port_now_ns();
    if (tg_node_driver(node)->start(node) != 0 ||
        tg_tasks_start(&node->tasks, node->system, &node->port) != 0) {
        return TG_EXIT_LACKS;
    }
    return TG_EXIT_HOLDS;
}

int tg_node_start(struct tg_node *node, const struct tg_node_config *cfg)
{
    *node = (struct tg_node){.cfg = *cfg, .system = cfg->system};
    if (tg_system_lower_config(node->system, &node->core) != 0) {
        return out_of_memory();
    }
    const int status = open_interface(node);

    return status != TG_EXIT_HOLDS ? status : start_parts(node);
}

uint32_t tg_node_stop(struct tg_node *node)
{
    tg_tasks_stop(&node->tasks);
    tg_node_driver(node)->stop(node);
    empty_lwip(node);
    tg_services_close(node->services);
    return tg_node_driver(node)->close(node);
}

void tg_node_free(struct tg_node *node)
{
    tg_iface_close(node->iface);
    tg_tasks_free(&node->tasks);
    tg_measure_free(&node->measure);
    tg_system_config_free(&node->core);
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void read_tasks(struct tg_node *node, struct tg_sim_results *out)
{
    for (uint32_t i = 0u; i < out->n_tasks; i++) {
        const struct tg_task_measure m = tg_tasks_measure(&node->tasks, i);

        out->tasks[i] = (struct tg_sim_task_result){
            .jobs = m.jobs, .misses = m.misses, .worst_ns = m.worst_response_ns};
        out->has_missed = out->has_missed || m.misses != 0u;
        out->cpu_ns[TG_SIM_SHARE_TASKS] += m.used_ns;
    }
}

static uint64_t switches(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

static void sum_up(struct tg_node *node, struct tg_sim_results *out)
{
    tg_ns busy_ns = 0u;

    for (uint32_t i = 0u; i < out->n_flows; i++) {
        struct tg_sim_flow_result *const f = &out->flows[i];
        const uint64_t dropped =
            f->dropped_budget + f->dropped_no_buffer + f->malformed + f->unregistered;
        const bool is_flow = i != 0u && i + 1u != out->n_flows;

        f->in_flight = f->sent > dropped + f->delivered ? f->sent - dropped - f->delivered : 0u;
        f->is_conforming = is_flow && node->system->flows[i - 1u].assume_conforming;
        out->packets += f->sent;
        out->most_held_pkts += f->most_held_pkts;
    }
    for (uint32_t i = TG_SIM_SHARE_IDLE + 1u; i < TG_SIM_SHARES; i++) {
        busy_ns += out->cpu_ns[i];
    }
    out->cpu_ns[TG_SIM_SHARE_IDLE] = out->for_ns > busy_ns ? out->for_ns - busy_ns : 0u;
    out->switches = switches();
}

int tg_node_read(struct tg_node *node, struct tg_sim_results *out)
{
    *out = (struct tg_sim_results){.policy = node->cfg.policy,
                                   .for_ns = tg_posix_port_now_ns() - node->start_ns,
                                   .n_tasks = (uint32_t)node->system->n_tasks,
                                   .n_flows = (uint32_t)node->system->n_flows + 2u,
                                   .n_queues = 1u};
    out->tasks = calloc(out->n_tasks + 1u, sizeof *out->tasks);
    out->flows = calloc(out->n_flows, sizeof *out->flows);
    if (out->tasks == NULL || out->flows == NULL ||
        tg_measure_read(&node->measure, out->flows) != 0) {
        return -1;
    }
    out->queues[0].lost = tg_iface_lost(node->iface);
    out->cpu_ns[TG_SIM_SHARE_RECEIVERS] = tg_services_used_ns(node->services);
    node->unanswered = tg_services_unanswered(node->services);
    read_tasks(node, out);
    tg_node_driver(node)->read(node, out);
    sum_up(node, out);
    return 0;
}
