/* SPDX-License-Identifier: MIT
 *
 * transmit.c - frames of the guest. Completions are reaped at send: they raise no interrupt.
 */
#include "nic/driver/private.h"

int tg_nic_driver_attach_transmit(struct tg_nic_driver *d, uint32_t ring_base, uint32_t ring_size,
                                  uint32_t buffers_base, uint32_t buffer_bytes)
{
    if (buffers_base < TG_NIC_DATA || buffers_base > d->memory_bytes ||
        (uint64_t)ring_size * buffer_bytes > d->memory_bytes - buffers_base) {
        return TG_ERR_RANGE;
    }
    int err = tg_nic_driver_write(d, TG_NIC_TX_RING_BASE, ring_base);

    if (err == 0) {
        err = tg_nic_driver_write(d, TG_NIC_TX_RING_SIZE, ring_size);
    }
    if (err) {
        return err;
    }
    d->transmit =
        tg_nic_driver_ring(d, ring_base, ring_size, TG_NIC_TX_OFFERED, TG_NIC_TX_RETURNED);
    d->transmit_buffers = buffers_base;
    d->transmit_bytes = buffer_bytes;
    return tg_nic_driver_write(d, TG_NIC_TX_CONTROL, TG_NIC_ENABLE);
}

int tg_nic_driver_send(struct tg_nic_driver *d, const uint8_t *bytes, uint32_t len_bytes)
{
    struct tg_nic_ring *const ring = &d->transmit;
    const uint32_t buffer =
        d->transmit_buffers + (ring->sent & (ring->size - 1u)) * d->transmit_bytes;

    if (len_bytes < TG_NIC_FRAME_MIN || len_bytes > d->transmit_bytes) {
        return TG_ERR_RANGE;
    }
    while (tg_nic_ring_has_returned(ring)) { /* at most size of them */
        tg_nic_ring_take(ring);
    }
    if (tg_nic_ring_room(ring) == 0u) {
        return TG_ERR_FULL;
    }
    __builtin_memcpy(d->memory + buffer, bytes, len_bytes);
    tg_nic_ring_offer(ring, buffer, len_bytes);
    d->board.doorbell(d->board.context);
    return 0;
}
