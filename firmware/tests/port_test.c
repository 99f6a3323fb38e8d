/* SPDX-License-Identifier: MIT
 *
 * port_test.c - the conformance test of ports on ports/cmsis_rtos2: interrupts are interrupts, all
 * else are threads of the kernel. `kind=broker` for the port of an RTOS that refuses
 * osThreadSetPriority in an interrupt.
 */
#define _POSIX_C_SOURCE 200809L

#include "board.h"
#include "cases.h"
#include "check_cmocka.h"
#include "cmsis_port.h"
#include "gic.h"
#include "harness.h"
#include "kernel.h"
#include "semihost.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define FIRST_LINE  80u /* of the queues' interrupts; nothing is connected there */
#define FIRST_LEVEL 20u /* of queue 0; that of a higher rank is more urgent */
#define CONTENDERS  4u

/* osPriority of core priority 0, and of those below all of them: who sends, and above these the
 * case, for they leave nothing over. */
#define FIRST_PRIORITY osPriorityLow
#define PRODUCER       (osPriorityIdle + 1)
#define ADMINISTRATOR  (osPriorityIdle + 2)
#define CASE           (osPriorityIdle + 3)

enum {
    THREAD_SERVICE,
    THREAD_PROTOCOL,
    THREAD_POLL,
    THREAD_ADMINISTRATOR,
    THREAD_PRODUCER,
    THREAD_CONSUMER = THREAD_PRODUCER + WORLD_PRODUCERS,
    THREAD_CONTENDER = THREAD_CONSUMER + WORLD_CONSUMERS,
    THREADS = THREAD_CONTENDER + CONTENDERS
};

struct role {
    struct world *world;
    uint32_t number;
    void (*body)(struct world *w);
};

static struct {
    struct tg_cmsis_port port;
    struct world *world;
    enum tg_port_priority_kind kind;
    uint32_t poll_priority; /* osPriority of a poll thread; 0: the service thread polls */
    struct kernel_thread threads[THREADS];
    struct role roles[THREADS];
    struct kernel_mutex nics[WORLD_QUEUES];
    osMutexId_t nic[WORLD_QUEUES];
    struct kernel_semaphore memory[2];
    osSemaphoreId_t asked; /* the protocol thread is to look for a wake */
    osSemaphoreId_t answered;
    bool has_wake;
    uint32_t changes_in_an_interrupt;
} machine;

static uint8_t stacks[THREADS][12288] __attribute__((aligned(8)));

/* ---- Threads --------------------------------------------------------------------------------- */

static osThreadAttr_t attributes(uint32_t thread, int priority)
{
    return (osThreadAttr_t){.name = "part",
                            .cb_mem = &machine.threads[thread],
                            .cb_size = sizeof(machine.threads[thread]),
                            .stack_mem = stacks[thread],
                            .stack_size = sizeof(stacks[thread]),
                            .priority = (osPriority_t)priority};
}

static osThreadId_t spawn(uint32_t thread, osThreadFunc_t func, void *argument, int priority)
{
    const osThreadAttr_t attr = attributes(thread, priority);
    const osThreadId_t id = osThreadNew(func, argument, &attr);

    assert_non_null(id);
    return id;
}

static void await_end(uint32_t thread)
{
    while (osThreadGetState(&machine.threads[thread]) != osThreadTerminated) {
        (void)osDelay(1000u);
    }
}

/* The linker puts this in place of osThreadSetPriority (--wrap): a BROKER's RTOS would refuse it in
 * an interrupt, or with interrupts masked. */
/* NOLINTBEGIN(*-reserved-identifier) */
osStatus_t __real_osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority);
osStatus_t __wrap_osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority);

osStatus_t __wrap_osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority)
{
    if (osDelay(0u) == osErrorISR) {
        machine.changes_in_an_interrupt++;
    }
    return __real_osThreadSetPriority(thread_id, priority);
}
/* NOLINTEND(*-reserved-identifier) */

/* ---- The driver ------------------------------------------------------------------------------ */

static tg_ns driver_now_ns(void *driver)
{
    (void)driver;
    return board_ticks() * BOARD_TICK_NS;
}

static void driver_mask(void *driver, uint32_t queue)
{
    (void)driver;
    gic_mask(FIRST_LINE + queue);
}

static void driver_unmask(void *driver, uint32_t queue)
{
    (void)driver;
    gic_unmask(FIRST_LINE + queue);
}

static const struct tg_cmsis_driver DRIVER = {
    .now_ns = driver_now_ns, .mask = driver_mask, .unmask = driver_unmask};

static void take_frames(void *context)
{
    const struct world_ring *const ring = context;
    const uint32_t number = ring->queue->number;

    /* A frame that came while the line was pending has been taken with it. */
    const uint32_t state = tg_port_lock(&machine.port);
    const bool has_frame = world_has_frame(ring);

    tg_port_unlock(&machine.port, state);
    if (has_frame && tg_rxq_interrupt(ring->queue, 4u) == TG_WORK_MORE) {
        gic_pend(FIRST_LINE + number);
    }
}

/* ---- The harness ----------------------------------------------------------------------------- */

void *harness_open(struct world *w, uint32_t floor)
{
    const osThreadAttr_t service = attributes(THREAD_SERVICE, osPriorityRealtime7);
    const osThreadAttr_t protocol = attributes(THREAD_PROTOCOL, osPriorityNone);
    const osThreadAttr_t poll = attributes(THREAD_POLL, (int)machine.poll_priority);
    static osThreadAttr_t kept[3];

    kept[0] = service;
    kept[1] = protocol;
    kept[2] = poll;

    const struct tg_cmsis_config cfg = {.first_priority = FIRST_PRIORITY,
                                        .floor = floor,
                                        .kind = machine.kind,
                                        .service = &kept[0],
                                        .protocol = &kept[1],
                                        .poll = machine.poll_priority != 0u ? &kept[2] : NULL,
                                        .ops = &DRIVER,
                                        .trace = &w->trace};

    machine.world = w;
    assert_int_equal(tg_cmsis_port_init(&machine.port, &cfg), 0);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        machine.nic[i] = osMutexNew(&(osMutexAttr_t){.attr_bits = osMutexPrioInherit,
                                                     .cb_mem = &machine.nics[i],
                                                     .cb_size = sizeof(machine.nics[i])});
        assert_non_null(machine.nic[i]);
    }
    machine.asked = osSemaphoreNew(
        1u, 0u,
        &(osSemaphoreAttr_t){.cb_mem = &machine.memory[0], .cb_size = sizeof(machine.memory[0])});
    machine.answered = osSemaphoreNew(
        1u, 0u,
        &(osSemaphoreAttr_t){.cb_mem = &machine.memory[1], .cb_size = sizeof(machine.memory[1])});
    return &machine.port;
}

void harness_close(struct world *w)
{
    (void)w;
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        assert_int_equal(osMutexDelete(machine.nic[i]), osOK);
    }
}

static void run_protocol(void *arg)
{
    struct world *const w = arg;

    while (w->cfg.is_manual && osSemaphoreAcquire(machine.asked, osWaitForever) == osOK &&
           !atomic_load(&w->is_over)) {
        machine.has_wake = tg_cmsis_port_wait(&machine.port, 0u) == TG_CMSIS_WOKEN;
        (void)osSemaphoreRelease(machine.answered);
    }
    if (w->cfg.is_manual) {
        return;
    }
    do {
        while (world_process(w)) {
        }
    } while (tg_cmsis_port_wait(&machine.port, TG_CMSIS_FOREVER) == TG_CMSIS_WOKEN);
}

static void run_producer(void *arg)
{
    const struct role *const role = arg;

    while (!atomic_load(&role->world->is_over) && !world_has_sent_all(role->world, role->number)) {
        if (!world_produce(role->world, role->number)) {
            (void)osDelay(2000u);
        }
    }
}

static void run_consumer(void *arg)
{
    const struct role *const role = arg;
    bool is_over = false;

    while (!is_over) {
        is_over = atomic_load(&role->world->is_over);
        while (world_consume(role->world, role->number)) {
        }
        (void)osDelay(5000u);
    }
}

static void run_administrator(void *arg)
{
    struct world *const w = arg;

    while (!atomic_load(&w->is_over)) {
        world_administrate(w);
        (void)osDelay(20000u);
    }
}

static void spawn_role(struct world *w, uint32_t thread, uint32_t number, osThreadFunc_t func,
                       int priority)
{
    machine.roles[thread] = (struct role){.world = w, .number = number};
    (void)spawn(thread, func, &machine.roles[thread], priority);
}

void harness_start(struct world *w)
{
    static const int priorities[WORLD_CONSUMERS] = {FIRST_PRIORITY + 5, FIRST_PRIORITY + 25};

    assert_int_equal(tg_cmsis_port_start(&machine.port, &w->protocol, run_protocol, w), 0);
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        gic_enable(FIRST_LINE + i, FIRST_LEVEL - i, take_frames, &w->rings[i]);
        gic_mask(FIRST_LINE + i); /* as it is until the link is up */
    }
    for (uint32_t i = 0u; i < WORLD_CONSUMERS; i++) {
        spawn_role(w, THREAD_CONSUMER + i, i, run_consumer, priorities[i]);
    }
    for (uint32_t i = 0u; w->cfg.produces && i < WORLD_PRODUCERS; i++) {
        spawn_role(w, THREAD_PRODUCER + i, i, run_producer, PRODUCER);
    }
    if (w->cfg.produces) {
        (void)spawn(THREAD_ADMINISTRATOR, run_administrator, w, ADMINISTRATOR);
    }
}

void harness_stop(struct world *w)
{
    for (uint32_t i = 0u; i < WORLD_QUEUES; i++) {
        gic_mask(FIRST_LINE + i);
    }
    if (w->cfg.is_manual) {
        atomic_store(&w->is_over, true);
        (void)osSemaphoreRelease(machine.asked);
    }
    tg_cmsis_port_stop(&machine.port);
    tg_cmsis_port_stop(&machine.port); /* the second call does nothing */
    atomic_store(&w->is_over, true);
    for (uint32_t i = 0u; i < WORLD_CONSUMERS; i++) {
        await_end(THREAD_CONSUMER + i);
    }
    for (uint32_t i = 0u; w->cfg.produces && i < WORLD_PRODUCERS; i++) {
        await_end(THREAD_PRODUCER + i);
    }
    if (w->cfg.produces) {
        await_end(THREAD_ADMINISTRATOR);
    }
    if (machine.kind == TG_PORT_BROKER) {
        assert_int_equal(machine.changes_in_an_interrupt, 0);
    }
}

void harness_pass(struct world *w, tg_ns delay_ns)
{
    (void)w;
    (void)osDelay((uint32_t)(delay_ns / BOARD_TICK_NS));
}

tg_ns harness_now_ns(struct world *w)
{
    (void)w;
    return driver_now_ns(NULL);
}

uint32_t harness_priority(struct world *w)
{
    (void)w;
    return (uint32_t)(osThreadGetPriority(machine.port.protocol) - FIRST_PRIORITY);
}

bool harness_take_wake(struct world *w)
{
    (void)w;
    assert_int_equal(osSemaphoreRelease(machine.asked), osOK);
    assert_int_equal(osSemaphoreAcquire(machine.answered, osWaitForever), osOK);
    return machine.has_wake;
}

/* Threads of changing priorities, so that each is pre-empted anywhere by any other. */
static void run_contender(void *arg)
{
    const struct role *const role = arg;

    role->body(role->world);
}

void harness_contend(struct world *w, void (*body)(struct world *w))
{
    uint32_t ended = 0u;

    (void)osThreadSetPriority(osThreadGetId(), osPriorityRealtime);
    for (uint32_t i = 0u; i < CONTENDERS; i++) {
        machine.roles[THREAD_CONTENDER + i] = (struct role){.world = w, .number = i, .body = body};
        (void)spawn(THREAD_CONTENDER + i, run_contender, &machine.roles[THREAD_CONTENDER + i],
                    FIRST_PRIORITY + (int)i);
    }
    for (uint32_t n = 0u; ended < CONTENDERS; n++) {
        (void)osDelay(1000u + n % 7u * 131u);
        ended = 0u;
        for (uint32_t i = 0u; i < CONTENDERS; i++) {
            struct kernel_thread *const t = &machine.threads[THREAD_CONTENDER + i];

            ended += osThreadGetState(t) == osThreadTerminated;
            (void)osThreadSetPriority(t, (osPriority_t)(FIRST_PRIORITY + (int)((i + n) % 4u)));
        }
    }
    (void)osThreadSetPriority(osThreadGetId(), (osPriority_t)CASE);
}

void harness_nic_lock(struct world *w, uint32_t queue)
{
    (void)w;
    (void)osMutexAcquire(machine.nic[queue], osWaitForever);
}

void harness_nic_unlock(struct world *w, uint32_t queue)
{
    (void)w;
    (void)osMutexRelease(machine.nic[queue]);
}

void harness_nic_write(struct world *w, uint8_t *data, const uint8_t *bytes, uint32_t len_bytes)
{
    (void)w;
    memcpy(data, bytes, len_bytes);
}

void harness_raise(struct world *w, uint32_t queue)
{
    (void)w;
    gic_pend(FIRST_LINE + queue);
}

/* ---- A broken invariant ends the program: here by a signal, which is caught ------------------ */

static jmp_buf before;

static void catch_abort(int number)
{
    (void)number;
    longjmp(before, 1);
}

bool harness_assert(char *said, size_t size_bytes)
{
    FILE *const kept = stderr;
    FILE *const memory = fmemopen(said, size_bytes, "w");

    assert_non_null(memory);
    (void)signal(SIGABRT, catch_abort);
    if (setjmp(before) == 0) {
        stderr = memory;
        tg_port_assert_failed("where.c", 4711);
    }
    stderr = kept;
    (void)fclose(memory);
    return true;
}

/* ---- Both kinds, and polling in a thread ----------------------------------------------------- */

static int run(void)
{
    char word[16];

    machine.kind = strcmp(semihost_word("kind", "direct", word, sizeof(word)), "broker") == 0
                       ? TG_PORT_BROKER
                       : TG_PORT_DIRECT;
    machine.poll_priority = (uint32_t)semihost_number("poll", 0);
    (void)osThreadSetPriority(osThreadGetId(), (osPriority_t)CASE);
    return conformance_run(machine.kind == TG_PORT_DIRECT ? "cmsis_rtos2, direct"
                                                          : "cmsis_rtos2, broker");
}

int main(void)
{
    return board_test_main(run);
}
