/* SPDX-License-Identifier: MIT
 *
 * lwip_station.c - lwIP on the station.
 */
#include "lwip_station.h"
#include "board.h"
#include "kernel.h"
#include "lwip_netif.h"

#include <lwip/etharp.h>
#include <lwip/tcpip.h>
#include <netif/ethernet.h>

struct tg_lwip lwip_station;
uint32_t lwip_station_refused;

static struct netif netif;
static struct tg_lwip_pbuf pbufs[LWIP_STATION_BUFFERS];
static struct tg_lwip_socket sockets[LWIP_STATION_SOCKETS];

/* A stock buffer as lwIP sees it: buffer i travels as stock_pbufs[i]. */
static struct stock_pbuf {
    struct pbuf_custom custom;
    struct gem_stock_buffer *buffer;
} stock_pbufs[LWIP_STATION_BUFFERS];

static const struct gem_stock_buffer *stock_buffers;

/* ---- Sending --------------------------------------------------------------------------------- */

/* lwIP calls it under its core lock. */
static err_t send(struct netif *to, struct pbuf *p)
{
    struct gem *const gem = station_gem();
    uint8_t *const bytes = p->tot_len <= GEM_BUFFER_BYTES ? gem_tx_buffer(gem) : NULL;

    (void)to;
    if (bytes == NULL) {
        return ERR_MEM;
    }
    (void)pbuf_copy_partial(p, bytes, p->tot_len, 0u);
    gem_send(gem, p->tot_len);
    return ERR_OK;
}

/* ---- With Tidegate --------------------------------------------------------------------------- */

bool lwip_station_run(void)
{
    return tg_lwip_input(&lwip_station);
}

static void start_tidegate(const struct station_config *cfg)
{
    const struct tg_lwip_config lwip = {.protocol = &station_protocol,
                                        .core = cfg->core,
                                        .storage = cfg->storage,
                                        .pbufs = pbufs,
                                        .sockets = sockets,
                                        .n_sockets = LWIP_STATION_SOCKETS,
                                        .netif = &netif,
                                        .now_ns = station_now_ns};

    if (cfg->storage->n_buffers > LWIP_STATION_BUFFERS || tg_lwip_init(&lwip_station, &lwip) != 0) {
        kernel_panic("the tables do not fit lwIP: reserves, or too many buffers", NULL);
    }
}

/* ---- Stock ----------------------------------------------------------------------------------- */

static void release(struct pbuf *p)
{
    gem_stock_release(&station_stock, ((struct stock_pbuf *)p)->buffer);
}

void lwip_station_stock_input(struct gem_stock_buffer *b, uint32_t len_bytes)
{
    struct pbuf *const p =
        pbuf_alloced_custom(PBUF_RAW, (u16_t)len_bytes, PBUF_REF,
                            &stock_pbufs[b - stock_buffers].custom, b->data, GEM_BUFFER_BYTES);

    if (netif.input(p, &netif) != ERR_OK) {
        lwip_station_refused++;
        (void)pbuf_free(p);
    }
}

void lwip_station_stock_run(void)
{
    for (;;) {
        uint32_t len_bytes;
        struct gem_stock_buffer *const b = gem_stock_take(&station_stock, &len_bytes);

        if (b != NULL) {
            lwip_station_stock_input(b, len_bytes);
        } else {
            gem_stock_wait(&station_stock);
        }
    }
}

static void start_stock(const struct station_config *cfg)
{
    if (cfg->n_buffers > LWIP_STATION_BUFFERS) {
        kernel_panic("too many buffers for lwIP", NULL);
    }
    stock_buffers = cfg->buffers;
    for (uint32_t i = 0u; i < cfg->n_buffers; i++) {
        stock_pbufs[i].custom.custom_free_function = release;
        stock_pbufs[i].buffer = &cfg->buffers[i];
    }
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Answers to the generator need no question: nobody there would answer it. */
static void know_the_sender(void)
{
    const struct eth_addr mac = {.addr = {2u, 0u, 0u, 0u, 0u, 2u}};
    ip4_addr_t sender;

    if (ip4addr_aton(LWIP_STATION_SENDER, &sender) == 0 ||
        etharp_add_static_entry(&sender, (struct eth_addr *)(uintptr_t)&mac) != ERR_OK) {
        kernel_panic("lwIP refuses an address", NULL);
    }
}

void lwip_station_start(const struct station_config *cfg)
{
    const struct lwip_netif_config interface = {
        .name = "g0", .mac = STATION_MAC, .address = LWIP_STATION_ADDRESS, .send = send};

    lwip_netif_start(&netif, &interface);
    if (cfg->core != NULL) {
        start_tidegate(cfg);
    } else {
        start_stock(cfg);
    }
    LOCK_TCPIP_CORE();
    netif_set_default(&netif);
    know_the_sender();
    UNLOCK_TCPIP_CORE();
}
