/* SPDX-License-Identifier: MIT
 *
 * ring.pml - the ring protocol of src/nic/wire/ring.h for spin: one guest, one device, every
 * interleaving of their loads and stores. `./dev model` checks it, and that each mutation of it fails.
 *
 * What is stated, in the words of ring.h:
 *
 *   P1  the guest takes the frames in their order, each once: none lost, none duplicated
 *   P2  the device finds each descriptor whole
 *   P3  the guest finds each frame whole
 *   P4  nobody touches a slot that the other one owns
 *   P5  a guest that sleeps while a descriptor has come back is woken (else: invalid end state)
 *   P6  an interrupt that RUNNING holds back is raised once RUNNING does not (HELD, and the doorbell)
 *
 * Indices are free-running modulo WRAP, a multiple of SIZE that is small enough to wrap often. A value
 * is written in two halves, so that a torn one is one whose halves differ. Loads and stores of the
 * shared words are sequentially consistent here; ring.h needs that for P5 and P6 only, and release
 * with acquire for the rest.
 */
#define SIZE   2
#define WRAP   4
#define FRAMES 5

#define SLOT(i) ((i) % SIZE)
#define NEXT(i) (((i) + 1) % WRAP)

/* Shared. */
byte offered;
byte returned;
byte buffer_a[SIZE];
byte buffer_b[SIZE]; /* the guest's part of a descriptor, in two halves */
byte frame_a[SIZE];
byte frame_b[SIZE]; /* the device's part */
byte arm;       /* 0: masked */
bool held;
bool running;   /* a task that outranks the queue runs */
bool interrupt; /* the vector is pending */
bool doorbell;

/* Who works on a slot, for P4. */
bool guest_in[SIZE];
bool device_in[SIZE];

/* The guest's interrupt handler takes what has come back, then arms and looks again; its scheduler
 * switches to a task that outranks the queue and back, once. */
byte taken;
byte done; /* its own index */
byte sent; /* its own index */
byte token;

inline offer()
{
    assert(!device_in[SLOT(sent)]);
    guest_in[SLOT(sent)] = true;
#ifdef MUTANT_OFFER_BEFORE_IT_IS_WRITTEN
    offered = NEXT(sent);
#endif
    buffer_a[SLOT(sent)] = sent + 1;
    buffer_b[SLOT(sent)] = sent + 1;
    guest_in[SLOT(sent)] = false;
    sent = NEXT(sent);
    offered = sent;
}

inline take()
{
    assert(!device_in[SLOT(done)]);
    guest_in[SLOT(done)] = true;
    assert(frame_a[SLOT(done)] == frame_b[SLOT(done)]); /* P3 */
    assert(frame_a[SLOT(done)] == taken + 1);           /* P1 */
    guest_in[SLOT(done)] = false;
    taken++;
    done = NEXT(done);
}

#ifdef MUTANT_TOKEN_STAYS
#define ANOTHER_TOKEN token = 1
#else
#define ANOTHER_TOKEN token++ /* ring.h: one does not come again before the device has looked */
#endif

proctype guest()
{
    offer();
    offer();
    ANOTHER_TOKEN;
    arm = token;
    do
    :: taken == FRAMES -> break
    :: else ->
#ifdef MUTANT_NO_SECOND_LOOK
        /* Sleeps at once: what came between the last look and arming is not seen. */
        interrupt; interrupt = false;
        do
        :: returned != done -> take(); offer()
        :: else -> break
        od;
        ANOTHER_TOKEN;
        arm = token
#else
        if
        :: returned != done ->
#ifdef MUTANT_OFFER_TOO_MANY
            offer(); take()
#else
            take(); offer()
#endif
        :: else ->
#ifdef MUTANT_LOOK_BEFORE_ARM
            bool has = (returned != done);
            ANOTHER_TOKEN;
            arm = token;
            if
            :: has -> skip
            :: else -> interrupt; interrupt = false
            fi
#else
            ANOTHER_TOKEN;
            arm = token;
            if
            :: returned != done -> skip /* the second look */
            :: else -> interrupt; interrupt = false
            fi
#endif
        fi
#endif
    od
}

/* The context switch: RUNNING, then HELD, then perhaps the doorbell. */
proctype scheduler()
{
    running = true;
    running = false;
#ifndef MUTANT_HELD_NOT_LOOKED_AT
    if
    :: held -> doorbell = true
    :: else -> skip
    fi
#endif
}

byte seen;      /* token, as the device saw it last */
bool is_raised;
bool is_due;
byte next;      /* its own index */
byte received;  /* frames from the network */

inline look_at_arm()
{
    byte now = arm;
    if
    :: now != seen -> seen = now; is_raised = false; is_due = false; held = false
    :: else -> skip
    fi
}

inline try_raise()
{
    if
    :: is_due && !running -> held = false; is_due = false; is_raised = true; interrupt = true
    :: is_due && running ->
#ifdef MUTANT_HELD_AFTER
        held = true
#else
        held = true;
        if
        :: !running -> held = false; is_due = false; is_raised = true; interrupt = true
        :: else -> skip
        fi
#endif
    :: else -> skip
    fi
}

proctype device()
{
    byte value;
    do
    :: received < FRAMES && offered != next ->
        assert(!guest_in[SLOT(next)]);
        device_in[SLOT(next)] = true;
        value = buffer_a[SLOT(next)];
        assert(value == buffer_b[SLOT(next)]); /* P2 */
        assert(value == next + 1);
        received++;
#ifdef MUTANT_INDEX_FIRST
        returned = NEXT(next);
        frame_a[SLOT(next)] = received;
        frame_b[SLOT(next)] = received;
        device_in[SLOT(next)] = false;
        next = NEXT(next);
#else
        frame_a[SLOT(next)] = received;
        frame_b[SLOT(next)] = received;
        device_in[SLOT(next)] = false;
#ifdef MUTANT_ARM_LOOKED_AT_FIRST
        look_at_arm();
#endif
        next = NEXT(next);
        returned = next;
#endif
#ifndef MUTANT_ARM_LOOKED_AT_FIRST
        look_at_arm();
#endif
        if
        :: seen != 0 && !is_raised -> is_due = true; try_raise()
        :: else -> skip
        fi
    :: doorbell -> doorbell = false; look_at_arm(); try_raise()
    :: received == FRAMES && taken == FRAMES -> break
    od
}

init {
    atomic {
        run guest();
        run scheduler();
        run device();
    }
}
