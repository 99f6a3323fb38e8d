/* SPDX-License-Identifier: MIT
 *
 * frames.c - which kind of source the command line names.
 */
#include "nic/device/frames.h"

#include <stdio.h>
#include <string.h>

/* What stands behind "name:", or NULL. */
static const char *after(const char *spec, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(spec, name, length) == 0 && spec[length] == ':' && spec[length + 1u] != '\0'
               ? spec + length + 1u
               : NULL;
}

int tg_nic_frames_open(const char *spec, const struct tg_nic_setup *setup,
                       struct tg_nic_frames **out, char message[TG_NIC_FRAMES_MESSAGE_BYTES])
{
    const char *const tap = after(spec, "tap");
    const char *const live = after(spec, "veth");
    const char *const capture = after(spec, "pcap");
    const char *const generator = after(spec, "generator");

    if (tap != NULL) {
        return tg_nic_frames_iface(tap, true, setup, out, message);
    }
    if (live != NULL) {
        return tg_nic_frames_iface(live, false, setup, out, message);
    }
    if (capture != NULL) {
        return tg_nic_frames_capture(capture, out, message);
    }
    if (generator != NULL) {
        return tg_nic_frames_generator(generator, setup, out, message);
    }
    (void)snprintf(message, TG_NIC_FRAMES_MESSAGE_BYTES,
                   "found '%s', allowed: tap:NAME, veth:NAME, pcap:FILE, generator:RATE,COUNT",
                   spec);
    return -1;
}

uint64_t tg_nic_frames_lost(struct tg_nic_frames *f)
{
    return f->kind->lost != NULL ? f->kind->lost(f) : f->lost;
}

void tg_nic_frames_close(struct tg_nic_frames *f)
{
    if (f != NULL) {
        f->kind->close(f);
    }
}
