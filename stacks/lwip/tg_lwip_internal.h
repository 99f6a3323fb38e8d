/* SPDX-License-Identifier: MIT
 *
 * tg_lwip_internal.h - what the files of the adaptor share. All with lwIP's core lock held.
 */
#ifndef TG_LWIP_INTERNAL_H
#define TG_LWIP_INTERNAL_H

#include "tg_lwip.h"
#include "tg_lwip_services.h"

#include <lwip/tcpip.h>

/* The one of this program; lwIP's callbacks have no context. */
extern struct tg_lwip *tg_lwip_instance;

/* Once per program: what lwIP must know of the socket interface. */
void tg_lwip_init_sockets(void);

#endif
