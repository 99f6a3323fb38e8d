/* SPDX-License-Identifier: MIT
 *
 * sys_arch.c - what lwIP asks of the system below it, on CMSIS-RTOS2. See arch/sys_arch.h.
 */
#include "arch.h"
#include "board.h"
#include "kernel.h"
#include "threads.h"

#include <lwip/sys.h>

#define TICKS_PER_MS (BOARD_TICK_HZ / 1000u)

int lwip_station_priority;

static struct kernel_semaphore semaphores[SYS_SEMAPHORES];
static struct kernel_mutex mutexes[SYS_MUTEXES];
static struct kernel_queue mailboxes[SYS_MAILBOXES];
static void *slots[SYS_MAILBOXES][SYS_MAILBOX_SLOTS];
static struct kernel_thread threads[SYS_THREADS];
static uint8_t stacks[SYS_THREADS][SYS_STACK_BYTES] __attribute__((aligned(8)));

/* Memory serves again when its object has been deleted. */
#define FREE_ONE(objects)                                                                          \
    free_one(&(objects)[0].kind, sizeof((objects)[0]), sizeof(objects) / sizeof((objects)[0]))

static uint32_t free_one(const uint32_t *kind, uint32_t size_bytes, uint32_t n)
{
    for (uint32_t i = 0u; i < n; i++) {
        if (*kind == KERNEL_NONE) {
            return i;
        }
        kind += size_bytes / sizeof(*kind);
    }
    kernel_panic("lwIP needs more semaphores, mutexes, mailboxes or threads", NULL);
}

static uint32_t ticks_of(u32_t ms)
{
    return ms < UINT32_MAX / TICKS_PER_MS ? ms * TICKS_PER_MS : UINT32_MAX - 1u;
}

void sys_init(void)
{
}

uint32_t lwip_station_random(void)
{
    static uint32_t state = 1u;

    state = state * 1664525u + 1013904223u; /* Numerical Recipes, 7.1 */
    return state;
}

/* ---- Time and short critical sections -------------------------------------------------------- */

/* Milliseconds, for 31 days, without a division of 64 bits: 2^32 ticks are 42949 of them and 67296
 * ticks. */
u32_t sys_now(void)
{
    const uint64_t ticks = board_ticks();
    const uint32_t high = (uint32_t)(ticks >> 32);
    const uint32_t low = (uint32_t)ticks;

    _Static_assert(TICKS_PER_MS == 100000u, "the numbers above");
    return high * 42949u + low / TICKS_PER_MS + (low % TICKS_PER_MS + high * 67296u) / TICKS_PER_MS;
}

sys_prot_t sys_arch_protect(void)
{
    return arch_lock();
}

void sys_arch_unprotect(sys_prot_t pval)
{
    arch_unlock(pval);
}

/* ---- Semaphores ------------------------------------------------------------------------------ */

err_t sys_sem_new(sys_sem_t *sem, u8_t count)
{
    struct kernel_semaphore *const memory = &semaphores[FREE_ONE(semaphores)];

    *sem = osSemaphoreNew(UINT32_MAX, count,
                          &(osSemaphoreAttr_t){.cb_mem = memory, .cb_size = sizeof(*memory)});
    return *sem != NULL ? ERR_OK : ERR_MEM;
}

void sys_sem_free(sys_sem_t *sem)
{
    (void)osSemaphoreDelete(*sem);
}

void sys_sem_signal(sys_sem_t *sem)
{
    (void)osSemaphoreRelease(*sem);
}

u32_t sys_arch_sem_wait(sys_sem_t *sem, u32_t timeout)
{
    const uint32_t ticks = timeout == 0u ? osWaitForever : ticks_of(timeout);

    return osSemaphoreAcquire(*sem, ticks) == osOK ? 0u : SYS_ARCH_TIMEOUT;
}

/* ---- Mutexes --------------------------------------------------------------------------------- */

err_t sys_mutex_new(sys_mutex_t *mutex)
{
    struct kernel_mutex *const memory = &mutexes[FREE_ONE(mutexes)];

    *mutex = osMutexNew(&(osMutexAttr_t){
        .attr_bits = osMutexPrioInherit, .cb_mem = memory, .cb_size = sizeof(*memory)});
    return *mutex != NULL ? ERR_OK : ERR_MEM;
}

void sys_mutex_free(sys_mutex_t *mutex)
{
    (void)osMutexDelete(*mutex);
}

void sys_mutex_lock(sys_mutex_t *mutex)
{
    if (osMutexAcquire(*mutex, osWaitForever) != osOK) {
        kernel_panic("lwIP cannot have a lock", NULL);
    }
}

void sys_mutex_unlock(sys_mutex_t *mutex)
{
    if (osMutexRelease(*mutex) != osOK) {
        kernel_panic("lwIP gives a lock back that it does not hold", NULL);
    }
}

/* ---- Mailboxes ------------------------------------------------------------------------------- */

err_t sys_mbox_new(sys_mbox_t *mbox, int size)
{
    const uint32_t i = FREE_ONE(mailboxes);

    *mbox = osMessageQueueNew((uint32_t)size, sizeof(void *),
                              &(osMessageQueueAttr_t){.cb_mem = &mailboxes[i],
                                                      .cb_size = sizeof(mailboxes[i]),
                                                      .mq_mem = slots[i],
                                                      .mq_size = sizeof(slots[i])});
    return *mbox != NULL ? ERR_OK : ERR_MEM;
}

void sys_mbox_free(sys_mbox_t *mbox)
{
    (void)osMessageQueueDelete(*mbox);
}

void sys_mbox_post(sys_mbox_t *mbox, void *msg)
{
    (void)osMessageQueuePut(*mbox, &msg, 0u, osWaitForever);
}

err_t sys_mbox_trypost(sys_mbox_t *mbox, void *msg)
{
    return osMessageQueuePut(*mbox, &msg, 0u, 0u) == osOK ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mbox, void *msg)
{
    return sys_mbox_trypost(mbox, msg);
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *mbox, void **msg, u32_t timeout)
{
    const uint32_t ticks = timeout == 0u ? osWaitForever : ticks_of(timeout);
    void *unwanted;

    return osMessageQueueGet(*mbox, msg != NULL ? msg : &unwanted, NULL, ticks) == osOK
               ? 0u
               : SYS_ARCH_TIMEOUT;
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mbox, void **msg)
{
    void *unwanted;

    return osMessageQueueGet(*mbox, msg != NULL ? msg : &unwanted, NULL, 0u) == osOK
               ? 0u
               : SYS_MBOX_EMPTY;
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* prio: a core priority. */
sys_thread_t sys_thread_new(const char *name, lwip_thread_fn thread, void *arg, int stacksize,
                            int prio)
{
    const uint32_t i = FREE_ONE(threads);
    const osThreadAttr_t attr = {.name = name,
                                 .cb_mem = &threads[i],
                                 .cb_size = sizeof(threads[i]),
                                 .stack_mem = stacks[i],
                                 .stack_size = SYS_STACK_BYTES,
                                 .priority = (osPriority_t)(STATION_FIRST_PRIORITY + prio)};

    if (stacksize > (int)SYS_STACK_BYTES) {
        kernel_panic("lwIP wants a larger stack", name);
    }
    return osThreadNew(thread, arg, &attr);
}
