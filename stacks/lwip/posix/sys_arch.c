/* SPDX-License-Identifier: MIT
 *
 * sys_arch.c - what lwIP asks of the system below it, on POSIX threads. See arch/sys_arch.h.
 */
#include "tg_sys.h"

#include <lwip/sys.h>
#include <lwip/tcpip.h>

#include <errno.h>
#include <string.h>
#include <time.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)

/* A lock that fails must stop the program in every build. */
static void require(int err, const char *what)
{
    if (err) {
        fprintf(stderr, "lwIP on POSIX: cannot %s: %s\n", what, strerror(err));
        abort();
    }
}

_Noreturn void tg_sys_assert_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: lwIP: %s\n", file, line, what);
    abort();
}

uint32_t tg_sys_random(void)
{
    return arc4random();
}

/* ---- Time ------------------------------------------------------------------------------------ */

static int64_t now_ns(void)
{
    struct timespec now;

    require(clock_gettime(CLOCK_MONOTONIC, &now), "read the clock");
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

u32_t sys_now(void)
{
    return (u32_t)(now_ns() / NS_PER_MS);
}

/* ---- Locks and conditions -------------------------------------------------------------------- */

static void init_lock(pthread_mutex_t *lock, int type)
{
    pthread_mutexattr_t attr;

    require(pthread_mutexattr_init(&attr), "set up a lock");
    require(pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT), "let a lock inherit");
    require(pthread_mutexattr_settype(&attr, type), "choose a lock");
    require(pthread_mutex_init(lock, &attr), "set up a lock");
    (void)pthread_mutexattr_destroy(&attr);
}

static void take(pthread_mutex_t *lock)
{
    require(pthread_mutex_lock(lock), "take a lock");
}

static void give(pthread_mutex_t *lock)
{
    require(pthread_mutex_unlock(lock), "give a lock back");
}

static void init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attr;

    require(pthread_condattr_init(&attr), "set up a condition");
    require(pthread_condattr_setclock(&attr, CLOCK_MONOTONIC), "choose a clock");
    require(pthread_cond_init(condition, &attr), "set up a condition");
    (void)pthread_condattr_destroy(&attr);
}

/* Wait with the lock held; at_ns 0: for ever. Returns: false when the time has come. */
static bool wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t at_ns)
{
    const struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S), .tv_nsec = at_ns % NS_PER_S};
    const int err = at_ns == 0 ? pthread_cond_wait(condition, lock)
                               : pthread_cond_timedwait(condition, lock, &at);

    require(err == ETIMEDOUT ? 0 : err, "wait");
    return err == 0;
}

static int64_t after_ms(u32_t timeout_ms)
{
    return timeout_ms == 0 ? 0 : now_ns() + (int64_t)timeout_ms * NS_PER_MS;
}

/* ---- Mutexes --------------------------------------------------------------------------------- */

err_t sys_mutex_new(sys_mutex_t *mutex)
{
    init_lock(&mutex->lock, PTHREAD_MUTEX_ERRORCHECK);
    mutex->is_valid = true;
    return ERR_OK;
}

void sys_mutex_lock(sys_mutex_t *mutex)
{
    take(&mutex->lock);
}

void sys_mutex_unlock(sys_mutex_t *mutex)
{
    give(&mutex->lock);
}

void sys_mutex_free(sys_mutex_t *mutex)
{
    (void)pthread_mutex_destroy(&mutex->lock);
}

#ifndef NDEBUG
/* The lock checks for errors: taking it again is refused exactly for who holds it. */
void tg_sys_assert_core_locked(void)
{
    if (!sys_mutex_valid(&lock_tcpip_core)) {
        return; /* start-up: lwip_init runs before there is a lock */
    }
    const int err = pthread_mutex_trylock(&lock_tcpip_core.lock);

    if (err == 0) {
        give(&lock_tcpip_core.lock);
    }
    LWIP_ASSERT("called without the core lock", err == EBUSY || err == EDEADLK);
}
#endif

/* ---- Semaphores ------------------------------------------------------------------------------ */

err_t sys_sem_new(sys_sem_t *sem, u8_t count)
{
    init_lock(&sem->lock, PTHREAD_MUTEX_ERRORCHECK);
    init_condition(&sem->changed);
    sem->count = count;
    sem->is_valid = true;
    return ERR_OK;
}

void sys_sem_signal(sys_sem_t *sem)
{
    take(&sem->lock);
    sem->count++;
    (void)pthread_cond_signal(&sem->changed);
    give(&sem->lock);
}

u32_t sys_arch_sem_wait(sys_sem_t *sem, u32_t timeout)
{
    const int64_t at_ns = after_ms(timeout);
    bool has_time = true;

    take(&sem->lock);
    while (sem->count == 0u && has_time) {
        has_time = wait_until(&sem->changed, &sem->lock, at_ns);
    }
    const bool is_taken = sem->count > 0u;

    if (is_taken) {
        sem->count--;
    }
    give(&sem->lock);
    return is_taken ? 0u : SYS_ARCH_TIMEOUT;
}

void sys_sem_free(sys_sem_t *sem)
{
    (void)pthread_cond_destroy(&sem->changed);
    (void)pthread_mutex_destroy(&sem->lock);
}

/* ---- Mailboxes ------------------------------------------------------------------------------- */

err_t sys_mbox_new(sys_mbox_t *mbox, int size)
{
    void **const slots = calloc((size_t)size, sizeof(*slots));

    if (slots == NULL) {
        return ERR_MEM;
    }
    *mbox = (sys_mbox_t){.slots = slots, .size = (unsigned)size};
    init_lock(&mbox->lock, PTHREAD_MUTEX_ERRORCHECK);
    init_condition(&mbox->filled);
    init_condition(&mbox->emptied);
    return ERR_OK;
}

/* With the lock held and room in it. */
static void put(sys_mbox_t *mbox, void *message)
{
    mbox->slots[(mbox->oldest + mbox->count) % mbox->size] = message;
    mbox->count++;
    (void)pthread_cond_signal(&mbox->filled);
}

/* With the lock held and something in it. */
static void *get(sys_mbox_t *mbox)
{
    void *const message = mbox->slots[mbox->oldest];

    mbox->oldest = (mbox->oldest + 1u) % mbox->size;
    mbox->count--;
    (void)pthread_cond_signal(&mbox->emptied);
    return message;
}

void sys_mbox_post(sys_mbox_t *mbox, void *msg)
{
    take(&mbox->lock);
    while (mbox->count == mbox->size) {
        (void)wait_until(&mbox->emptied, &mbox->lock, 0);
    }
    put(mbox, msg);
    give(&mbox->lock);
}

err_t sys_mbox_trypost(sys_mbox_t *mbox, void *msg)
{
    take(&mbox->lock);
    const bool has_room = mbox->count < mbox->size;

    if (has_room) {
        put(mbox, msg);
    }
    give(&mbox->lock);
    return has_room ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mbox, void *msg)
{
    return sys_mbox_trypost(mbox, msg);
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *mbox, void **msg, u32_t timeout)
{
    const int64_t at_ns = after_ms(timeout);
    void *message = NULL;
    bool has_time = true;

    take(&mbox->lock);
    while (mbox->count == 0u && has_time) {
        has_time = wait_until(&mbox->filled, &mbox->lock, at_ns);
    }
    const bool is_fetched = mbox->count > 0u;

    if (is_fetched) {
        message = get(mbox);
    }
    give(&mbox->lock);
    if (msg != NULL) {
        *msg = message;
    }
    return is_fetched ? 0u : SYS_ARCH_TIMEOUT;
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mbox, void **msg)
{
    take(&mbox->lock);
    const bool is_fetched = mbox->count > 0u;
    void *const message = is_fetched ? get(mbox) : NULL;

    give(&mbox->lock);
    if (msg != NULL) {
        *msg = message;
    }
    return is_fetched ? 0u : SYS_MBOX_EMPTY;
}

void sys_mbox_free(sys_mbox_t *mbox)
{
    (void)pthread_cond_destroy(&mbox->filled);
    (void)pthread_cond_destroy(&mbox->emptied);
    (void)pthread_mutex_destroy(&mbox->lock);
    free(mbox->slots);
}

/* ---- Short critical sections ----------------------------------------------------------------- */

/* lwIP nests these. */
static pthread_mutex_t section;

void sys_init(void)
{
    init_lock(&section, PTHREAD_MUTEX_RECURSIVE);
}

sys_prot_t sys_arch_protect(void)
{
    take(&section);
    return 0;
}

void sys_arch_unprotect(sys_prot_t pval)
{
    (void)pval;
    give(&section);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static int spawn_ordinary(void *context, uint32_t priority, void *(*body)(void *arg), void *arg,
                          pthread_t *id)
{
    (void)context;
    (void)priority;
    return pthread_create(id, NULL, body, arg);
}

static tg_sys_spawn *starter = spawn_ordinary;
static void *starter_context;

void tg_sys_set_spawn(tg_sys_spawn *spawn, void *context)
{
    starter = spawn;
    starter_context = context;
}

struct thread_start {
    lwip_thread_fn body;
    void *arg;
};

static void *run(void *arg)
{
    const struct thread_start start = *(struct thread_start *)arg;

    free(arg);
    start.body(start.arg);
    return NULL;
}

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn thread, void *arg, int stacksize,
                            int prio)
{
    struct thread_start *const start = malloc(sizeof(*start));
    pthread_t id;

    (void)name;
    (void)stacksize;
    require(start == NULL ? ENOMEM : 0, "start a thread");
    *start = (struct thread_start){.body = thread, .arg = arg};
    require(starter(starter_context, (uint32_t)prio, run, start, &id), "start a thread");
    return id;
}
