/* SPDX-License-Identifier: MIT
 *
 * gate.c - Tidegate for this board: the NIC's ring, and the tables of `tidegate gen`.
 */
#include "board.h"
#include "gate.h"
#include "tidegate_config.h"

enum { BUFFERS_MAX = 128, SOCKETS = 8 };

struct gate gate;

static struct tg_buffer *in_ring[BOARD_RING];
static uint32_t oldest;

static bool peek(void *ring, struct tg_rx_frame *frame)
{
    (void)ring;
    frame->now_ns = board_now_ns();
    frame->len_bytes = board_ring[oldest].len_bytes;
    frame->buffer = in_ring[oldest];
    frame->tci = TG_TCI_NONE;
    return frame->len_bytes != 0u;
}

static void advance(void *ring, struct tg_buffer *buffer)
{
    (void)ring;
    in_ring[oldest] = buffer;
    board_ring[oldest].data = buffer->data;
    board_ring[oldest].len_bytes = 0u;
    oldest = (oldest + 1u) % BOARD_RING;
}

void gate_start(struct netif *interface)
{
    static const struct tg_ring_ops ops = {.peek = peek, .advance = advance};
    static struct tg_lwip_pbuf pbufs[BUFFERS_MAX];
    static struct tg_lwip_socket sockets[SOCKETS];
    const struct tg_storage *const storage = tidegate_storage();
    const struct tg_lwip_config config = {.protocol = &gate.protocol,
                                          .core = &tidegate_config,
                                          .storage = storage,
                                          .pbufs = pbufs,
                                          .sockets = sockets,
                                          .n_sockets = SOCKETS,
                                          .netif = interface,
                                          .now_ns = board_now_ns};

    if (storage->n_buffers > BUFFERS_MAX ||
        tg_protocol_init(&gate.protocol, &tidegate_config, storage, board_port, board_random(),
                         board_now_ns(), NULL) != 0 ||
        tg_lwip_init(&gate.lwip, &config) != 0) {
        board_fail();
    }
    struct tg_rxq *const queue = tg_rxq_attach(&gate.protocol, TIDEGATE_QUEUE_ALL, &ops, NULL);

    for (uint32_t i = 0u; i < BOARD_RING; i++) {
        in_ring[i] = tg_rxq_fill(queue);
        if (in_ring[i] == NULL) {
            board_fail(); /* the system file has a shorter ring */
        }
        board_ring[i].data = in_ring[i]->data;
    }
    tg_rxq_link(queue, true);
}
