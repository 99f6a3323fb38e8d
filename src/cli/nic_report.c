/* SPDX-License-Identifier: MIT
 *
 * nic_report.c - the counters of the NIC, as tables or as JSON.
 */
#include "nic_report.h"

#include "report/json.h"
#include "report/table.h"

/* A counter: its register, its name in JSON, its title in a table. */
struct counter {
    uint32_t at;
    const char *key;
    const char *title;
};

static const struct counter totals[] = {
    {TG_NIC_RX_FRAMES, "received", NULL},
    {TG_NIC_RX_MALFORMED, "malformed", NULL},
    {TG_NIC_RX_REFUSED, "unregistered", NULL},
    {TG_NIC_RX_NO_QUEUE, "no_queue", NULL},
    {TG_NIC_TX_SENT, "sent", NULL},
    {TG_NIC_TX_DROPPED, "not_sent", NULL},
};

static const struct counter frames[] = {
    {TG_NIC_Q_FRAMES, "frames", "frames"},
    {TG_NIC_Q_DELIVERED, "delivered", "delivered"},
    {TG_NIC_Q_DROP_DISABLED, "dropped_disabled", "disabled"},
    {TG_NIC_Q_DROP_EMPTY, "dropped_empty", "ring empty"},
    {TG_NIC_Q_DROP_INDEX, "dropped_index", "bad index"},
    {TG_NIC_Q_DROP_DESCRIPTOR, "dropped_descriptor", "bad descriptor"},
    {TG_NIC_Q_DROP_LONG, "dropped_long", "too long"},
};

static const struct counter interrupts[] = {
    {TG_NIC_Q_RAISED_COUNTER, "interrupts_counter", "by counter"},
    {TG_NIC_Q_RAISED_ABSOLUTE, "interrupts_absolute", "absolute timer"},
    {TG_NIC_Q_RAISED_PACKET, "interrupts_packet", "packet timer"},
    {TG_NIC_Q_HELD_RUNNING, "held_running", "held: running"},
    {TG_NIC_Q_HELD_GATE, "held_gate", "held: gate"},
    {TG_NIC_Q_RAISED_LOST, "interrupts_lost", "lost"},
};

#define N(list) (sizeof(list) / sizeof(list)[0])

static uint64_t count_of(const struct tg_nic_device *d, uint32_t queue, uint32_t at)
{
    return tg_nic_model_count(d->model, TG_NIC_QUEUE(queue) + at);
}

static void print_totals(const struct tg_nic_device *d, FILE *out)
{
    fputs("frames:", out);
    for (size_t i = 0u; i < N(totals); i++) {
        fprintf(out, "%s %llu %s", i == 0u ? "" : ",",
                (unsigned long long)tg_nic_model_count(d->model, totals[i].at), totals[i].key);
    }
    fprintf(out, ", %llu lost before the NIC\n", (unsigned long long)tg_nic_frames_lost(d->frames));
    fprintf(out, "peers: %llu refused; resets: %u\n\n", (unsigned long long)d->server.refused,
            tg_nic_model_read(d->model, TG_NIC_GENERATION) - 1u);
}

/* One row for each queue, as they stand in the file. */
static void print_queues(const struct tg_nic_device *d, const struct tg_nic_file *file,
                         const struct counter *list, size_t n, bool has_wait, FILE *out)
{
    struct tg_column columns[2u + N(frames)] = {{"queue", NULL, TG_LEFT}};

    for (size_t i = 0u; i < n; i++) {
        columns[1u + i] = (struct tg_column){list[i].title, NULL, TG_RIGHT};
    }
    columns[1u + n] = (struct tg_column){"longest wait", "us", TG_RIGHT};
    struct tg_table *const t = tg_table_new(columns, 1u + n + (has_wait ? 1u : 0u));

    for (uint32_t k = 0u; k < file->setup.n_queues; k++) {
        tg_table_cell(t, TG_STRONG, "%s", file->queue_names[k]);
        for (size_t i = 0u; i < n; i++) {
            tg_table_count(t, TG_PLAIN, count_of(d, k, list[i].at));
        }
        if (has_wait) {
            const uint64_t wait_ns = count_of(d, k, TG_NIC_Q_LONGEST_WAIT);

            tg_table_cell(t, TG_PLAIN, "%llu.%03u", (unsigned long long)(wait_ns / 1000u),
                          (unsigned)(wait_ns % 1000u));
        }
    }
    tg_table_print(t, out, tg_terminal_has_colour(out));
    tg_table_free(t);
}

static int print_json(const struct tg_nic_device *d, const struct tg_nic_file *file, FILE *out)
{
    struct tg_json j;

    tg_json_start(&j, out);
    tg_json_object(&j, NULL);
    for (size_t i = 0u; i < N(totals); i++) {
        tg_json_count(&j, totals[i].key, tg_nic_model_count(d->model, totals[i].at));
    }
    tg_json_count(&j, "lost_before", tg_nic_frames_lost(d->frames));
    tg_json_count(&j, "refused_peers", d->server.refused);
    tg_json_count(&j, "resets", tg_nic_model_read(d->model, TG_NIC_GENERATION) - 1u);
    tg_json_array(&j, "queues");
    for (uint32_t k = 0u; k < file->setup.n_queues; k++) {
        tg_json_object(&j, NULL);
        tg_json_text(&j, "name", file->queue_names[k]);
        for (size_t i = 0u; i < N(frames); i++) {
            tg_json_count(&j, frames[i].key, count_of(d, k, frames[i].at));
        }
        for (size_t i = 0u; i < N(interrupts); i++) {
            tg_json_count(&j, interrupts[i].key, count_of(d, k, interrupts[i].at));
        }
        tg_json_count(&j, "longest_wait_ns", count_of(d, k, TG_NIC_Q_LONGEST_WAIT));
        tg_json_end(&j);
    }
    tg_json_end(&j);
    tg_json_end(&j);
    return tg_json_finish(&j);
}

int tg_nic_report(const struct tg_nic_device *device, const struct tg_nic_file *file, bool is_json,
                  FILE *out)
{
    if (is_json) {
        return print_json(device, file, out);
    }
    print_totals(device, out);
    print_queues(device, file, frames, N(frames), false, out);
    fputc('\n', out);
    print_queues(device, file, interrupts, N(interrupts), true, out);
    return fflush(out) == 0 ? 0 : -1;
}
