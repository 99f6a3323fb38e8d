/* SPDX-License-Identifier: MIT
 *
 * path.c - from the NIC to lwIP.
 */
#include "node.h"
#include "tg_lwip.h"

#include <lwip/tcpip.h>
#include <string.h>

#define SEED UINT64_C(0x9e3779b97f4a7c15) /* of the flow table */

struct nic node_nic;

static const struct tg_storage *storage;

/* ---- Behind Tidegate ------------------------------------------------------------------------- */

static struct tg_protocol protocol;
static struct tg_cmsis_port port;
static struct tg_lwip lwip;

static tg_ns now_ns(void)
{
    return board_ticks() * LAB_TICK_NS;
}

static err_t input(struct pbuf *p, struct netif *netif)
{
    (void)netif;
    return node_input(p, ((struct tg_lwip_pbuf *)p)->buffer->flow);
}

static void run_protocol(void *arg)
{
    (void)arg;
    do {
        while (tg_lwip_input(&lwip)) {
        }
    } while (tg_cmsis_port_wait(&port, TG_CMSIS_FOREVER) == TG_CMSIS_WOKEN);
}

/* The buffers of the tables lie in this board's memory; those of this NIC lie in its own. */
static void move_buffers(void)
{
    const uint32_t at = nic_take(&node_nic, storage->n_buffers * NIC_BUFFER_BYTES);

    for (uint32_t i = 0u; i < storage->n_buffers; i++) {
        if (storage->buffers[i].size_bytes > NIC_BUFFER_BYTES) {
            kernel_panic("the buffers of the tables are larger than those of the NIC", NULL);
        }
        storage->buffers[i].data = node_nic.device.memory + at + i * NIC_BUFFER_BYTES;
    }
}

static void init_core(void)
{
    static osThreadAttr_t service;
    static osThreadAttr_t thread;
    static struct kernel_thread memory[2];
    static uint8_t stacks[2][STATION_STACK_BYTES] __attribute__((aligned(8)));

    service = station_thread("service", &memory[0], stacks[0], osPriorityRealtime);
    thread = station_thread("protocol", &memory[1], stacks[1], osPriorityNone);

    const struct tg_cmsis_config cfg = {.first_priority = STATION_FIRST_PRIORITY,
                                        .floor = tidegate_config.floor,
                                        .kind = TG_PORT_DIRECT,
                                        .service = &service,
                                        .protocol = &thread,
                                        .ops = &NIC_TIDEGATE_DRIVER,
                                        .driver = &node_nic};

    if (tg_cmsis_port_init(&port, &cfg) != 0 ||
        tg_protocol_init(&protocol, &tidegate_config, storage, &port, SEED, now_ns(), NULL) != 0) {
        kernel_panic("the tables of the receive path are refused", NULL);
    }
}

static void start_tidegate(void)
{
    static struct tg_lwip_socket no_sockets[1];
    const struct tg_lwip_config cfg = {
        .protocol = &protocol,
        .core = &tidegate_config,
        .storage = storage,
        .pbufs = lab_memory(storage->n_buffers, sizeof(struct tg_lwip_pbuf)),
        .sockets = no_sockets,
        .netif = &node_netif,
        .input = input,
        .now_ns = now_ns};

    move_buffers();
    init_core();
    if (tg_lwip_init(&lwip, &cfg) != 0) {
        kernel_panic("the tables do not fit lwIP: reserves", NULL);
    }
    if (tg_cmsis_port_start(&port, &protocol, run_protocol, NULL) != 0) {
        kernel_panic("the threads of the port do not start", NULL);
    }
    nic_tidegate_start(&node_nic, &protocol, &tidegate_config, STATION_FIRST_PRIORITY);
}

/* ---- Stock ----------------------------------------------------------------------------------- */

static struct nic_stock stock;
static struct nic_stock_flow *stock_flows;

/* A stock buffer as lwIP sees it: buffer i travels as stock_pbufs[i]. */
static struct stock_pbuf {
    struct pbuf_custom custom;
    struct nic_stock_buffer *buffer;
} * stock_pbufs;

static void release(struct pbuf *p)
{
    nic_stock_release(&stock, ((struct stock_pbuf *)p)->buffer);
}

static err_t stock_input(struct pbuf *p, struct netif *netif)
{
    (void)netif;
    return node_input(p, ((struct stock_pbuf *)p)->buffer->flow);
}

/* What the mailbox refuses is dropped like what finds no buffer. */
static void hand_over(struct nic_stock_buffer *b, uint32_t len_bytes)
{
    struct pbuf *const p =
        pbuf_alloced_custom(PBUF_RAW, (u16_t)len_bytes, PBUF_REF,
                            &stock_pbufs[b - stock.buffers].custom, b->data, NIC_BUFFER_BYTES);

    if (tcpip_inpkt(p, &node_netif, stock_input) != ERR_OK) {
        stock_flows[b->flow].no_buffer++;
        (void)pbuf_free(p);
    }
}

static void run_driver(void *arg)
{
    (void)arg;
    for (;;) {
        uint32_t len_bytes;
        struct nic_stock_buffer *const b = nic_stock_take(&stock, &len_bytes);

        if (b != NULL) {
            hand_over(b, len_bytes);
        } else {
            nic_stock_wait(&stock);
        }
    }
}

static void start_stock(void)
{
    stock_flows = lab_memory(lab_plan->n_flows, sizeof(*stock_flows));
    stock_pbufs = lab_memory(storage->n_buffers, sizeof(*stock_pbufs));
    nic_stock_start(&stock, &node_nic,
                    &(struct nic_stock_config){.ring = lab_plan->stock_ring,
                                               .n_buffers = storage->n_buffers,
                                               .flows = stock_flows,
                                               .n_flows = lab_plan->n_flows});
    for (uint32_t i = 0u; i < storage->n_buffers; i++) {
        stock_pbufs[i].custom.custom_free_function = release;
        stock_pbufs[i].buffer = &stock.buffers[i];
    }
    (void)lab_thread("driver", LAB_ABOVE_TASKS, run_driver, NULL);
}

/* ---- Both ------------------------------------------------------------------------------------ */

void node_path_start(const struct tg_storage *tables)
{
    storage = tables;
    if (lab_plan->policy == LAB_COMBINED) {
        nic_init(&node_nic, &port);
        start_tidegate();
    } else {
        nic_init(&node_nic, NULL);
        start_stock();
    }
}

/* Frames that are in a ring, for the counts of their flows. */
static uint64_t read_ring(const struct tg_nic_ring *ring, uint64_t *received)
{
    const uint32_t returned = tg_nic_load_in_order(ring->returned);

    for (uint32_t i = ring->done; i != returned; i++) {
        received[tg_nic_load(&tg_nic_ring_slot(ring, i)->flow)]++;
    }
    return returned - ring->done;
}

static void read_core(struct node_counts *out)
{
    tg_rx_snapshot(&protocol, &out->core);
    for (uint32_t i = 0u; i < storage->n_flows; i++) {
        const struct tg_flow_counters *const f = &out->core.flows[i];

        out->received[i] = f->passed + f->dropped_budget + f->dropped_no_buffer;
    }
    for (uint32_t k = 0u; k < tidegate_config.n_queues; k++) {
        out->vectors[k] = nic_tidegate_vectors[k];
        out->accepted[k] = out->core.queues[k].received;
        out->waiting[k] = read_ring(&node_nic.driver.queues[k].ring, out->received);
    }
}

static void read_stock(struct node_counts *out)
{
    out->vectors[0] = stock.interrupts;
    out->accepted[0] = 0u;
    for (uint32_t i = 0u; i < lab_plan->n_flows; i++) {
        out->received[i] = stock_flows[i].received;
        out->accepted[0] += stock_flows[i].received;
        out->core.flows[i].dropped_no_buffer = stock_flows[i].no_buffer;
    }
    out->waiting[0] = read_ring(&stock.ring, out->received);
}

void node_path_read(struct node_counts *out)
{
    if (lab_plan->policy == LAB_COMBINED) {
        read_core(out);
    } else {
        read_stock(out);
    }
}
