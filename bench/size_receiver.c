/* SPDX-License-Identifier: MIT
 *
 * size_receiver.c - all that firmware calls which binds its flows at start-up and only receives;
 * size.sh links the core with it.
 */
#include "tidegate/rx.h"

int receive(struct tg_protocol *p, const struct tg_config *cfg, const struct tg_storage *storage,
            const struct tg_ring_ops *ops, void *ring);

int receive(struct tg_protocol *p, const struct tg_config *cfg, const struct tg_storage *storage,
            const struct tg_ring_ops *ops, void *ring)
{
    const int err = tg_protocol_init(p, cfg, storage, NULL, 1u, 0u, NULL);
    struct tg_rxq *const q = tg_rxq_attach(p, 0u, ops, ring);
    struct tg_buffer *b;

    while ((b = tg_rxq_fill(q)) != NULL) {
    }
    tg_rxq_link(q, true);
    if (tg_rxq_interrupt(q, 1u) == TG_WORK_MORE || tg_rx_tick(p, 1u) == TG_WORK_MORE) {
        while (tg_rx_poll(p, 1u) == TG_WORK_MORE) {
        }
    }
    b = tg_rx_next(p);
    tg_rx_done(p);
    return err | tg_rx_release(p, b);
}
