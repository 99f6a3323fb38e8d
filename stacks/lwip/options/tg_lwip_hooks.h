/* SPDX-License-Identifier: MIT
 *
 * tg_lwip_hooks.h - what lwIP calls (LWIP_HOOK_FILENAME); each source of lwIP includes it.
 */
#ifndef TG_LWIP_HOOKS_H
#define TG_LWIP_HOOKS_H

#include <stdint.h>

struct lwip_sock;

/* Returns: 0 if the option is not one of ours; else *err is what setsockopt gives as errno. */
int tg_lwip_hook_setsockopt(struct lwip_sock *sock, int level, int optname, const void *optval,
                            uint32_t optlen, int *err);

#define LWIP_HOOK_SOCKETS_SETSOCKOPT(s, sock, level, optname, optval, optlen, err)                 \
    tg_lwip_hook_setsockopt(sock, level, optname, optval, optlen, err)

#endif
