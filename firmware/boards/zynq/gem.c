/* SPDX-License-Identifier: MIT
 *
 * gem.c - the Ethernet MAC: set-up, causes, sending.
 */
#include "gem.h"
#include "board.h"

#define GEM(g, offset)     (*(volatile uint32_t *)((g)->cfg.base + (offset)))
#define NETWORK_CONTROL(g) GEM(g, 0x00u)
#define NETWORK_CONFIG(g)  GEM(g, 0x04u)
#define DMA_CONFIG(g)      GEM(g, 0x10u)
#define TX_STATUS(g)       GEM(g, 0x14u)
#define RX_QUEUE(g)        GEM(g, 0x18u)
#define TX_QUEUE(g)        GEM(g, 0x1cu)
#define RX_STATUS(g)       GEM(g, 0x20u)
#define CAUSES(g)          GEM(g, 0x24u)
#define UNMASK(g)          GEM(g, 0x28u)
#define MASK(g)            GEM(g, 0x2cu)
#define ADDRESS_LOW(g)     GEM(g, 0x88u)
#define ADDRESS_HIGH(g)    GEM(g, 0x8cu)

#define CONTROL_RX   0x004u
#define CONTROL_TX   0x008u
#define CONTROL_SEND 0x200u

/* 1 Gbit/s, full duplex, all frames, up to 1536 bytes, check sequence cut off, MDC / 32. */
#define CONFIG (1u << 10 | 1u << 1 | 1u << 4 | 1u << 8 | 1u << 17 | 2u << 18)

/* Bursts of 16, all of the packet memory, buffers in units of 64 bytes. */
#define DMA (GEM_BUFFER_BYTES / 64u << 16 | 1u << 10 | 3u << 8 | 0x10u)

/* Frame received, descriptor used, overrun, bus error. */
#define RX_CAUSES (1u << 1 | 1u << 2 | 1u << 10 | 1u << 11)

#define TX_USED (1u << 31)
#define TX_WRAP (1u << 30)
#define TX_LAST (1u << 15)

static uint32_t wrap_of(uint32_t i)
{
    return i + 1u == GEM_TX_SLOTS ? TX_WRAP : 0u;
}

void gem_init(struct gem *g, const struct gem_config *cfg)
{
    *g = (struct gem){.cfg = *cfg};
    NETWORK_CONTROL(g) = 0u;
    MASK(g) = UINT32_MAX;
    gem_acknowledge(g);
    RX_STATUS(g) = UINT32_MAX;
    TX_STATUS(g) = UINT32_MAX;
    NETWORK_CONFIG(g) = CONFIG;
    DMA_CONFIG(g) = DMA;
    /* The first byte on the wire is the lowest one of the register. */
    ADDRESS_LOW(g) = (uint32_t)cfg->mac;
    ADDRESS_HIGH(g) = (uint32_t)(cfg->mac >> 32);
    for (uint32_t i = 0u; i < GEM_TX_SLOTS; i++) {
        if (cfg->tx_bytes != NULL) {
            cfg->tx[i].address = (uint32_t)(uintptr_t)cfg->tx_bytes[i];
        }
        cfg->tx[i].control = TX_USED | wrap_of(i);
    }
    RX_QUEUE(g) = (uint32_t)(uintptr_t)cfg->rx;
    TX_QUEUE(g) = (uint32_t)(uintptr_t)cfg->tx;
}

void gem_rx_fill(struct gem *g, uint32_t i, uint8_t *data)
{
    g->cfg.rx[i].control = 0u;
    g->cfg.rx[i].address = (uint32_t)(uintptr_t)data | (i + 1u == g->cfg.rx_slots ? 2u : 0u);
}

void gem_start(struct gem *g)
{
    NETWORK_CONTROL(g) = CONTROL_RX | CONTROL_TX;
}

void gem_rx_mask(struct gem *g)
{
    MASK(g) = RX_CAUSES;
}

void gem_rx_unmask(struct gem *g)
{
    UNMASK(g) = RX_CAUSES;
}

void gem_acknowledge(struct gem *g)
{
    CAUSES(g) = CAUSES(g); /* the hardware clears what is written, QEMU what is read */
}

uint8_t *gem_tx_buffer(struct gem *g)
{
    while (g->tx_unsent != 0u) {
        const uint32_t oldest = (g->tx_next + GEM_TX_SLOTS - g->tx_unsent) % GEM_TX_SLOTS;

        if ((g->cfg.tx[oldest].control & TX_USED) == 0u) {
            break;
        }
        g->tx_unsent--;
    }
    if (g->tx_unsent == GEM_TX_SLOTS - 1u) {
        g->tx_full++; /* one descriptor stays used, so that the GEM stops there */
        return NULL;
    }
    return g->cfg.tx_bytes[g->tx_next];
}

void gem_send(struct gem *g, uint32_t len_bytes)
{
    const uint32_t i = g->tx_next;

    board_cache_clean(g->cfg.tx_bytes[i], len_bytes);
    g->cfg.tx[i].control = TX_LAST | wrap_of(i) | len_bytes;
    __asm volatile("dsb" ::: "memory");
    g->tx_next = (i + 1u) % GEM_TX_SLOTS;
    g->tx_unsent++;
    NETWORK_CONTROL(g) = CONTROL_RX | CONTROL_TX | CONTROL_SEND;
}
