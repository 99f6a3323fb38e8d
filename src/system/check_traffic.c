/* SPDX-License-Identifier: MIT
 *
 * check_traffic.c - sources of traffic: exactly one thing that they send, and one way when.
 */
#include "system/check_traffic.h"

#include <string.h>

/* ---- One of several fields ------------------------------------------------------------------- */

const char *tg_check_only_one(const struct tg_place *place, const char *const fields[],
                              const char *allowed)
{
    const char *first = NULL;

    for (size_t i = 0u; fields[i] != NULL; i++) {
        if (!tg_place_has(place, fields[i])) {
            continue;
        }
        if (first != NULL) {
            (void)tg_place_refuse(place, fields[i], "found beside '%s'; allowed: one of %s", first,
                                  allowed);
            return NULL;
        }
        first = fields[i];
    }
    if (first == NULL) {
        (void)tg_place_refuse(place, NULL, "found none of %s; allowed: one of them", allowed);
    }
    return first;
}

int tg_check_none_of(const struct tg_place *place, const char *const fields[], const char *with,
                     const char *allowed)
{
    int err = 0;

    for (size_t i = 0u; fields[i] != NULL; i++) {
        if (tg_place_has(place, fields[i])) {
            err = tg_place_refuse(place, fields[i], "found with '%s'; allowed: only with %s", with,
                                  allowed);
        }
    }
    return err;
}

/* ---- All ------------------------------------------------------------------------------------- */

static int check_source(const struct tg_source_check *s)
{
    static const char *const whats[] = {"flow", "frames", "capture", NULL};
    static const char *const form[] = {"form", NULL};
    const char *const what = tg_check_only_one(&s->place, whats, "flow, frames, capture");

    s->traffic->flow = -1;
    if (what == NULL) {
        return -1;
    }
    int err = tg_check_window(s);
    if (strcmp(what, "capture") == 0) {
        return err | tg_check_capture(s);
    }
    if (strcmp(what, "flow") == 0) {
        err |= tg_check_none_of(&s->place, form, what, "frames") | tg_check_flow(s);
        s->traffic->form = TG_FORM_WHOLE;
        if (s->traffic->flow < 0) {
            return err;
        }
    }
    err |= tg_check_timing(s);
    err |= tg_check_frames(s);
    return err ? err : tg_check_conforming(s);
}

static int check_scenario(const struct tg_place *file, size_t i,
                          const struct tg_source_check *common)
{
    const struct tg_system_scenario *const scenario = &common->system->scenarios[i];
    const struct tg_place place = tg_place_item(file, "scenarios", i, scenario->name);
    int err = 0;

    for (size_t j = 0u; j < scenario->n_traffic; j++) {
        struct tg_source_check source = *common;

        source.place = tg_place_item(&place, "traffic", j, NULL);
        source.scenario = scenario;
        source.traffic = &scenario->traffic[j];
        err |= check_source(&source);
    }
    return err;
}

int tg_check_traffic(struct tg_reader *r, struct tg_system *s, const struct tg_finder *finder,
                     const char *directory)
{
    const struct tg_place file = tg_place_file(r);
    const struct tg_source_check common = {.system = s, .directory = directory, .finder = finder};
    int err = 0;

    for (size_t i = 0u; i < s->n_scenarios; i++) {
        err |= check_scenario(&file, i, &common);
    }
    return err;
}
