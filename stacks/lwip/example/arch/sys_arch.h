/* SPDX-License-Identifier: MIT
 *
 * sys_arch.h - the types of the board's system. Its mutex must inherit priorities.
 */
#ifndef EXAMPLE_SYS_ARCH_H
#define EXAMPLE_SYS_ARCH_H

typedef struct board_object *sys_sem_t;
typedef struct board_object *sys_mutex_t;
typedef struct board_object *sys_mbox_t;
typedef struct board_object *sys_thread_t;

#define sys_sem_valid(sem)           (*(sem) != NULL)
#define sys_sem_set_invalid(sem)     (*(sem) = NULL)
#define sys_mutex_valid(mutex)       (*(mutex) != NULL)
#define sys_mutex_set_invalid(mutex) (*(mutex) = NULL)
#define sys_mbox_valid(mbox)         (*(mbox) != NULL)
#define sys_mbox_set_invalid(mbox)   (*(mbox) = NULL)

#endif
