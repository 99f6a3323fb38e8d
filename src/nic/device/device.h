/* SPDX-License-Identifier: MIT
 *
 * device.h - the process around the model: peers, frames, time and signals, in one loop.
 */
#ifndef TG_NIC_DEVICE_DEVICE_H
#define TG_NIC_DEVICE_DEVICE_H

#include "nic/device/frames.h"
#include "nic/device/ivshmem.h"
#include "nic/model/model.h"

struct tg_nic_device {
    struct tg_ivshmem server;
    struct tg_nic_model *model;
    struct tg_nic_frames *frames;
    tg_ns started_ns; /* when all queues were first enabled; 0: not yet */
    int signals;
    bool is_stopped;
};

struct tg_nic_device_config {
    const struct tg_nic_setup *setup; /* outlives the device, like the frames */
    struct tg_nic_frames *frames;
    const char *socket;
    tg_ns for_ns; /* end after this time; 0: only by SIGINT or SIGTERM */

    /* SIGUSR1: show the counters. */
    void (*report)(void *context, const struct tg_nic_device *device);
    void *context;
};

/* Set everything up; a guest can connect from now on. Blocks SIGINT, SIGTERM and SIGUSR1.
 *
 * Context: main task; allocates.
 * Returns: 0, *d to be given to tg_nic_device_close(); -1 with what is wrong in message.
 * Cost:    as tg_ivshmem_open() and tg_nic_model_open(). */
TG_NODISCARD int tg_nic_device_open(struct tg_nic_device *d, const struct tg_nic_device_config *cfg,
                                    char message[TG_IVSHMEM_MESSAGE_BYTES]);

/* Serve until told to stop.
 *
 * Context: main task.
 * Cost:    sleeps while there is nothing to do. */
void tg_nic_device_run(struct tg_nic_device *d, const struct tg_nic_device_config *cfg);

/* Context: main task. Cost: O(1). */
void tg_nic_device_close(struct tg_nic_device *d);

#endif
