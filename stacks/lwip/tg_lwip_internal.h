/* SPDX-License-Identifier: MIT
 *
 * tg_lwip_internal.h - what the files of the adaptor share.
 */
#ifndef TG_LWIP_INTERNAL_H
#define TG_LWIP_INTERNAL_H

#include "tg_lwip.h"
#include "tg_lwip_services.h"

#include <lwip/tcpip.h>

/* The one of this program; lwIP's callbacks have no context. */
extern struct tg_lwip *tg_lwip_instance;

#endif
