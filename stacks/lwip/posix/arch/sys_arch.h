/* SPDX-License-Identifier: MIT
 *
 * sys_arch.h - semaphores, mutexes, mailboxes and threads of lwIP on POSIX threads.
 *
 * Every lock inherits priorities. An urgent thread that wants one waits for whoever holds it, and
 * for nobody in between; lwIP's own port for Unix takes plain ones.
 */
#ifndef TG_LWIP_SYS_ARCH_H
#define TG_LWIP_SYS_ARCH_H

#include <pthread.h>
#include <stdbool.h>

typedef struct tg_sys_sem {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned count;
    bool is_valid;
} sys_sem_t;

typedef struct tg_sys_mutex {
    pthread_mutex_t lock;
    bool is_valid;
} sys_mutex_t;

/* A ring of messages: slots[(oldest + i) % size], i < count. */
typedef struct tg_sys_mbox {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t emptied;
    void **slots; /* NULL: not valid */
    unsigned size;
    unsigned oldest;
    unsigned count;
} sys_mbox_t;

typedef pthread_t sys_thread_t;

#define sys_sem_valid(sem)           ((sem)->is_valid)
#define sys_sem_set_invalid(sem)     ((sem)->is_valid = false)
#define sys_mutex_valid(mutex)       ((mutex)->is_valid)
#define sys_mutex_set_invalid(mutex) ((mutex)->is_valid = false)
#define sys_mbox_valid(mbox)         ((mbox)->slots != NULL)
#define sys_mbox_set_invalid(mbox)   ((mbox)->slots = NULL)

#endif
