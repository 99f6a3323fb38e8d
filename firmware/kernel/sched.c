/* SPDX-License-Identifier: MIT
 *
 * sched.c - ready lists, waiting, alarms, inheritance.
 */
#include "sched.h"

#define STACK_GUARD_WORDS 4u

/* Not on the way of a received frame, which stays short without it. */
#define RARE __attribute__((noinline))

struct sched sched;

/* ---- Who is ready ---------------------------------------------------------------------------- */

/* The idle thread is always ready. */
static struct kernel_thread *most_urgent(void)
{
    const uint32_t p = sched.ready_bits[1] != 0u
                           ? 63u - (uint32_t)__builtin_clz(sched.ready_bits[1])
                           : 31u - (uint32_t)__builtin_clz(sched.ready_bits[0]);

    return THREAD_OF(sched.ready[p].next, place);
}

/* Before the first of its priority, or behind the last. */
static void insert_ready(struct kernel_thread *t, bool is_first)
{
    struct kernel_node *const head = &sched.ready[t->priority];

    list_insert_before(is_first ? head->next : head, &t->place);
    sched.ready_bits[t->priority / 32u] |= 1u << t->priority % 32u;
    if (t->priority > sched.running_priority) {
        arch.is_due = 1u;
    }
}

void sched_ready(struct kernel_thread *t)
{
    t->state = osThreadReady;
    insert_ready(t, false);
}

void sched_unready(struct kernel_thread *t)
{
    list_remove(&t->place);
    if (t->place.next == t->place.prev) { /* the list's head: nobody else is there */
        sched.ready_bits[t->priority / 32u] &= ~(1u << t->priority % 32u);
    }
    if (t == sched.running) {
        arch.is_due = 1u;
    }
}

/* ---- Who runs -------------------------------------------------------------------------------- */

/* Apart, so that it costs nothing where nothing changes. */
__attribute__((noinline)) static void set_level(uint8_t level)
{
    sched.level = level;
    arch_set_level(level);
    if (sched.changed != NULL) {
        sched.changed(level);
    }
}

static void follow(const struct kernel_thread *running)
{
    if (sched.level_of != NULL && sched.level_of[running->priority] != sched.level) {
        set_level(sched.level_of[running->priority]);
    }
}

void kernel_unify(const uint8_t *level_of, void (*changed)(uint32_t level))
{
    const uint32_t state = sched_lock();

    sched.level_of = level_of;
    sched.changed = changed;
    set_level(ARCH_LEVEL_ALL);
    if (sched.state == osKernelRunning) {
        follow(sched.running);
    }
    sched_unlock(state);
}

/* It is the most urgent one, as far as is known. */
static inline void run(struct kernel_thread *t)
{
    sched.running = t;
    sched.running_priority = t->priority;
    arch.is_due = 0u;
    follow(t);
}

/* A thread that has used up its stack has destroyed what lies below it: go no further. */
static void check_stack(const struct kernel_thread *t)
{
    bool is_whole = t->sp >= t->stack + STACK_GUARD_WORDS;

    for (uint32_t i = 0u; i < STACK_GUARD_WORDS; i++) {
        is_whole = is_whole && t->stack[i] == ARCH_STACK_FILL;
    }
    if (!is_whole) {
        kernel_panic("stack overflow", t->name);
    }
}

uint32_t *arch_next_stack(uint32_t *sp)
{
    if (sched.running != NULL) {
        sched.running->sp = sp;
        check_stack(sched.running);
    }
    run(most_urgent());
    return sched.running->sp;
}

bool arch_must_switch(void)
{
    if (sched.state != osKernelRunning) {
        return false;
    }
    struct kernel_thread *const t = most_urgent();

    if (t != sched.running) {
        return true;
    }
    run(t); /* an interrupt may have changed its priority */
    return false;
}

static RARE void give_way(uint32_t state)
{
    if (arch_must_switch()) {
        if (arch_was_masked(state)) {
            arch_pend_switch();
        } else {
            arch_switch();
        }
    }
}

void sched_look(uint32_t state)
{
    if (!arch_in_interrupt()) {
        give_way(state);
    }
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Have the board call for the first alarm, and for no other. */
static void ask_for_alarm(void)
{
    const uint64_t at =
        list_is_empty(&sched.alarms) ? UINT64_MAX : THREAD_OF(sched.alarms.next, alarm)->alarm_at;

    if (at != sched.alarm_at) {
        sched.alarm_at = at;
        board_alarm(at);
    }
}

static void set_alarm(struct kernel_thread *t, uint64_t at)
{
    struct kernel_node *node = sched.alarms.next;

    while (node != &sched.alarms && THREAD_OF(node, alarm)->alarm_at <= at) {
        node = node->next;
    }
    t->alarm_at = at;
    list_insert_before(node, &t->alarm);
    ask_for_alarm();
}

static RARE void stop_alarm(struct kernel_thread *t)
{
    t->alarm_at = UINT64_MAX;
    list_remove(&t->alarm);
    ask_for_alarm();
}

static void insert_waiter(struct kernel_node *waiters, struct kernel_thread *t)
{
    struct kernel_node *node = waiters->next;

    while (node != waiters && THREAD_OF(node, place)->priority >= t->priority) {
        node = node->next;
    }
    list_insert_before(node, &t->place);
    t->waiters = waiters;
}

struct kernel_thread *sched_first_waiter(const struct kernel_node *waiters)
{
    return list_is_empty(waiters) ? NULL : THREAD_OF(waiters->next, place);
}

osStatus_t sched_wait_until(struct kernel_node *waiters, uint64_t at_ticks)
{
    struct kernel_thread *const t = sched.running;

    sched_unready(t);
    t->state = osThreadBlocked;
    if (waiters != NULL) {
        insert_waiter(waiters, t);
    }
    if (t->wanted != NULL) {
        sched_settle(t->wanted->owner);
    }
    if (at_ticks != UINT64_MAX) {
        set_alarm(t, at_ticks);
    }
    arch_switch();
    return t->result;
}

osStatus_t sched_wait(struct kernel_node *waiters, uint32_t ticks)
{
    return sched_wait_until(waiters, ticks == osWaitForever ? UINT64_MAX : board_ticks() + ticks);
}

static inline void leave_waiters(struct kernel_thread *t)
{
    list_remove(&t->place);
    t->waiters = NULL;
}

/* It has one waiter less to inherit from. */
static RARE void settle_owner(const struct kernel_mutex *m)
{
    sched_settle(m->owner);
}

void sched_wake_alone(struct kernel_thread *t, osStatus_t result)
{
    if (t->alarm_at != UINT64_MAX) {
        stop_alarm(t);
    }
    t->wait_flags = 0u;
    t->result = result;
    sched_ready(t);
}

void sched_wake(struct kernel_thread *t, osStatus_t result)
{
    struct kernel_mutex *const wanted = t->wanted;

    if (t->waiters != NULL) {
        leave_waiters(t);
    }
    t->wanted = NULL;
    sched_wake_alone(t, result);
    if (wanted != NULL) {
        settle_owner(wanted);
    }
}

void sched_wake_all(struct kernel_node *waiters, osStatus_t result)
{
    while (!list_is_empty(waiters)) {
        sched_wake(sched_first_waiter(waiters), result);
    }
}

void kernel_alarm(void)
{
    const uint32_t state = sched_lock();
    const uint64_t now = board_ticks();

    sched.alarm_at = UINT64_MAX; /* the board's is used up */
    while (!list_is_empty(&sched.alarms) && THREAD_OF(sched.alarms.next, alarm)->alarm_at <= now) {
        sched_wake(THREAD_OF(sched.alarms.next, alarm), osErrorTimeout);
    }
    ask_for_alarm();
    sched_unlock(state);
}

/* ---- Priority -------------------------------------------------------------------------------- */

static RARE void move_waiter(struct kernel_thread *t)
{
    list_remove(&t->place);
    insert_waiter(t->waiters, t);
}

/* As POSIX has it for pthread_setschedprio: who rises stands behind those already there, who sinks
 * before them. */
static void change_priority(struct kernel_thread *t, uint8_t priority)
{
    const bool sinks = priority < t->priority;

    if (t->state == osThreadReady) {
        sched_unready(t);
        t->priority = priority;
        insert_ready(t, sinks);
        return;
    }
    t->priority = priority;
    if (t->waiters != NULL) {
        move_waiter(t);
    }
}

/* Of a thread that holds mutexes. */
static RARE uint8_t inherited_priority(const struct kernel_thread *t)
{
    uint8_t priority = t->base;

    for (const struct kernel_mutex *m = t->owned; m != NULL; m = m->next) {
        const struct kernel_thread *const waiter = sched_first_waiter(&m->waiters);

        if ((m->attr_bits & osMutexPrioInherit) != 0u && waiter != NULL &&
            waiter->priority > priority) {
            priority = waiter->priority;
        }
    }
    return priority;
}

/* The same where mutexes are concerned. */
static RARE void settle_chain(struct kernel_thread *t)
{
    while (t != NULL) {
        const uint8_t priority = inherited_priority(t);

        if (priority == t->priority) {
            return;
        }
        change_priority(t, priority);
        t = t->wanted != NULL ? t->wanted->owner : NULL;
    }
}

void sched_settle(struct kernel_thread *t)
{
    if (t == NULL) {
        return;
    }
    if (t->owned != NULL || t->wanted != NULL) {
        settle_chain(t);
    } else if (t->priority != t->base) {
        change_priority(t, t->base);
    }
}
