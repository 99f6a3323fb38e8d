/* SPDX-License-Identifier: MIT
 *
 * tg_sys.h - who starts lwIP's threads on a POSIX host.
 */
#ifndef TG_LWIP_SYS_H
#define TG_LWIP_SYS_H

#include <pthread.h>
#include <stdint.h>

/* Start a thread at a core priority. tg_posix_port_spawn, with the port as context. */
typedef int tg_sys_spawn(void *context, uint32_t priority, void *(*body)(void *arg), void *arg,
                         pthread_t *id);

/* lwIP's threads (tcpip_thread, and what sys_thread_new starts) are started by this function. Until
 * it is called they are ordinary threads.
 *
 * Context: start-up, before tcpip_init.
 * Cost:    O(1). */
void tg_sys_set_spawn(tg_sys_spawn *spawn, void *context);

#endif
