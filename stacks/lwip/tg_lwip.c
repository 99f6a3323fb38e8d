/* SPDX-License-Identifier: MIT
 *
 * tg_lwip.c - from the queue of packets into lwIP, and back to the pool with pbuf_free.
 */
#include "tg_lwip_internal.h"

#include <lwip/prot/ip.h>
#include <lwip/sys.h>
#include <netif/ethernet.h>

_Static_assert(LWIP_TCPIP_CORE_LOCKING == 1, "the protocol task calls lwIP under its core lock");
_Static_assert(LWIP_SUPPORT_CUSTOM_PBUF == 1, "buffers travel as custom pbufs");
_Static_assert(ETH_PAD_SIZE == 0, "a frame starts where the NIC put it");

struct tg_lwip *tg_lwip_instance;

/* Whoever frees the last reference: the protocol task, or a task that has read its socket. */
static void release(struct pbuf *p)
{
    struct tg_lwip_pbuf *const travelling = (struct tg_lwip_pbuf *)p;
    const int err = tg_rx_release(tg_lwip_instance->protocol, travelling->buffer);

    TG_ASSERT(!err); /* lwIP counts references: the last one goes once */
    (void)err;
}

/* A reserve that what lwIP holds for good can never fill. */
static bool reserves_suffice(const struct tg_config *core)
{
    if (core->best_effort_reserve_pkts != 0u &&
        core->best_effort_reserve_pkts < TG_LWIP_BEST_EFFORT_RESERVE_MIN) {
        return false;
    }
    for (uint32_t i = 0u; i < core->n_flows; i++) {
        const struct tg_flow_config *const flow = &core->flows[i];
        const uint32_t fields = flow->match.fields;

        if ((fields & TG_FIELD_PROTOCOL) != 0u && (fields & TG_FIELD_SYN) == 0u &&
            flow->match.protocol == IP_PROTO_TCP && flow->reserve_pkts < TG_LWIP_TCP_RESERVE_MIN) {
            return false;
        }
    }
    return true;
}

int tg_lwip_init(struct tg_lwip *l, const struct tg_lwip_config *cfg)
{
    if (!reserves_suffice(cfg->core)) {
        return TG_ERR_RANGE;
    }
    *l = (struct tg_lwip){.protocol = cfg->protocol,
                          .netif = cfg->netif,
                          .input = cfg->input != NULL ? cfg->input : ethernet_input,
                          .now_ns = cfg->now_ns,
                          .buffers = cfg->storage->buffers,
                          .pbufs = cfg->pbufs,
                          .sockets = cfg->sockets,
                          .n_sockets = cfg->n_sockets};
    for (uint32_t i = 0u; i < cfg->storage->n_buffers; i++) {
        l->pbufs[i].custom.custom_free_function = release;
        l->pbufs[i].buffer = &cfg->storage->buffers[i];
    }
    for (uint32_t i = 0u; i < cfg->n_sockets; i++) {
        l->sockets[i].owner = NULL;
    }
    tg_lwip_instance = l;
    return 0;
}

bool tg_lwip_input(struct tg_lwip *l)
{
    struct tg_buffer *const b = tg_rx_next(l->protocol);

    if (b == NULL) {
        return false;
    }

    /* The whole buffer is given, so that lwIP knows what it may touch. */
    struct pbuf *const p = pbuf_alloced_custom(PBUF_RAW, (u16_t)b->len_bytes, PBUF_REF,
                                               &l->pbufs[b - l->buffers].custom, b->data,
                                               (u16_t)LWIP_MIN(b->size_bytes, UINT16_MAX));

    LOCK_TCPIP_CORE();
    if (l->input(p, l->netif) != ERR_OK) {
        (void)pbuf_free(p);
    }
    UNLOCK_TCPIP_CORE();

    /* After the lock: a task that is lowered while it holds one makes everybody wait for it. */
    tg_rx_done(l->protocol);
    return true;
}

void tg_lwip_snapshot(struct tg_lwip *l, struct tg_snapshot *out)
{
    LOCK_TCPIP_CORE();
    tg_rx_snapshot(l->protocol, out);
    UNLOCK_TCPIP_CORE();
}
