/* SPDX-License-Identifier: MIT
 *
 * driver.c - start-up, registers and rules: what is not done for each frame.
 */
#include "nic/driver/private.h"

uint32_t *tg_nic_driver_word(const struct tg_nic_driver *d, uint32_t offset)
{
    return (uint32_t *)(void *)(d->memory + offset);
}

uint32_t tg_nic_driver_read(const struct tg_nic_driver *d, uint32_t offset)
{
    return tg_nic_load_in_order(tg_nic_driver_word(d, offset));
}

uint64_t tg_nic_driver_count(const struct tg_nic_driver *d, uint32_t offset)
{
    const uint32_t high = tg_nic_driver_read(d, offset + 4u);
    uint32_t low = tg_nic_driver_read(d, offset);
    const uint32_t high_again = tg_nic_driver_read(d, offset + 4u);

    if (high != high_again) { /* the lower half wrapped in between: it is small now */
        low = tg_nic_driver_read(d, offset);
    }
    return (uint64_t)high_again << 32 | low;
}

int tg_nic_driver_write(struct tg_nic_driver *d, uint32_t offset, uint32_t value)
{
    struct tg_nic_ring *const ring = &d->writes;
    const struct tg_nic_descriptor *const slot = tg_nic_ring_slot(ring, ring->done);

    if (ring->sent != ring->done) {
        return TG_ERR_STATE; /* it did not answer the last time, either */
    }
    tg_nic_ring_offer(ring, offset, value);
    d->board.doorbell(d->board.context);
    for (uint32_t n = 0u; !tg_nic_ring_has_returned(ring); n++) {
        if (n == TG_NIC_PATIENCE) {
            return TG_ERR_STATE;
        }
        d->board.wait(d->board.context);
    }
    tg_nic_ring_take(ring);
    return tg_nic_load(&slot->len_bytes) != 0u ? 0 : TG_ERR_RANGE;
}

struct tg_nic_ring tg_nic_driver_ring(const struct tg_nic_driver *d, uint32_t base, uint32_t size,
                                      uint32_t offered, uint32_t returned)
{
    tg_nic_store(tg_nic_driver_word(d, offered), 0u);
    return (struct tg_nic_ring){.slots = (void *)(d->memory + base),
                                .offered = tg_nic_driver_word(d, offered),
                                .returned = tg_nic_driver_word(d, returned),
                                .size = size};
}

/* The write port goes on where the device is, whatever a driver before us left there. */
static void open_port(struct tg_nic_driver *d)
{
    const uint32_t done = tg_nic_driver_read(d, TG_NIC_WRITES_DONE);

    d->writes = (struct tg_nic_ring){.slots = (void *)(d->memory + TG_NIC_WRITE_PORT),
                                     .offered = tg_nic_driver_word(d, TG_NIC_WRITES_OFFERED),
                                     .returned = tg_nic_driver_word(d, TG_NIC_WRITES_DONE),
                                     .size = TG_NIC_WRITE_PORT_MAX,
                                     .done = done,
                                     .sent = done};
    tg_nic_store_in_order(d->writes.offered, done);
}

int tg_nic_driver_start(struct tg_nic_driver *d, uint8_t *memory, uint32_t memory_bytes,
                        uint32_t peer, const struct tg_nic_board *board, void *port)
{
    *d = (struct tg_nic_driver){
        .memory = memory, .memory_bytes = memory_bytes, .board = *board, .port = port};

    if (memory_bytes < TG_NIC_DATA || tg_nic_driver_read(d, TG_NIC_IDENT) != TG_NIC_IDENT_VALUE ||
        tg_nic_driver_read(d, TG_NIC_VERSION) != TG_NIC_VERSION_VALUE ||
        tg_nic_driver_read(d, TG_NIC_MEMORY) > memory_bytes) {
        return TG_ERR_RANGE;
    }
    open_port(d);
    tg_nic_store(tg_nic_driver_word(d, TG_NIC_RUNNING), 0u);
    int err = tg_nic_driver_write(d, TG_NIC_CONTROL, TG_NIC_CONTROL_RESET);

    if (err) {
        return err;
    }
    d->n_queues = tg_nic_driver_read(d, TG_NIC_CAPABILITY) & 0xffu;
    if (d->n_queues > TG_QUEUES_MAX) {
        return TG_ERR_RANGE;
    }
    return tg_nic_driver_write(d, TG_NIC_PEER, peer);
}

static int write_host(struct tg_nic_driver *d, uint32_t at, const uint8_t host[16])
{
    int err = 0;

    for (uint32_t i = 0u; i < 16u && err == 0; i += 4u) {
        err = tg_nic_driver_write(d, at + i,
                                  (uint32_t)host[i] | (uint32_t)host[i + 1u] << 8 |
                                      (uint32_t)host[i + 2u] << 16 | (uint32_t)host[i + 3u] << 24);
    }
    return err;
}

static int write_match(struct tg_nic_driver *d, const struct tg_match *match, uint32_t priority)
{
    const uint32_t words[] = {(uint32_t)match->vlan << 16 | match->fields,
                              (uint32_t)match->family << 24 | (uint32_t)match->protocol << 16 |
                                  match->type,
                              (uint32_t)match->src_port << 16 | match->dst_port,
                              priority << 8 | (match->broadcast ? TG_NIC_RULE_BROADCAST : 0u)};
    int err = 0;

    for (uint32_t i = 0u; i < 4u && err == 0; i++) {
        err = tg_nic_driver_write(d, TG_NIC_RULE_FIELDS + 4u * i, words[i]);
    }
    if (err == 0) {
        err = write_host(d, TG_NIC_RULE_SRC, match->src_host);
    }
    return err ? err : write_host(d, TG_NIC_RULE_DST, match->dst_host);
}

static int command(struct tg_nic_driver *d, uint32_t value)
{
    const int err = tg_nic_driver_write(d, TG_NIC_RULE_COMMAND, value);

    return err ? err : (int)tg_nic_driver_read(d, TG_NIC_RULE_RESULT);
}

int tg_nic_driver_bind(struct tg_nic_driver *d, const struct tg_match *match, uint32_t priority)
{
    int err = priority < TG_PRIORITIES ? write_match(d, match, priority) : TG_ERR_RANGE;

    if (err == 0) {
        err = command(d, TG_NIC_RULE_BIND);
    }
    return err ? err : (int)tg_nic_driver_read(d, TG_NIC_RULE_ID);
}

int tg_nic_driver_unbind(struct tg_nic_driver *d, uint32_t rule)
{
    const int err = tg_nic_driver_write(d, TG_NIC_RULE_ID, rule);

    return err ? err : command(d, TG_NIC_RULE_UNBIND);
}
