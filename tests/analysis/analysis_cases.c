/* SPDX-License-Identifier: MIT
 *
 * analysis_cases.c - `analysis_cases DIRECTORY`: every case file (*.json) against the analysis,
 * exact to the integer. Prints what differs. Exit: 0 nothing, 1 something differs, 2 bad usage or
 * file.
 */
#include "case_file.h"

#include "analysis/fit.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct outcome {
    unsigned long compared;
    unsigned long different;
    unsigned long faults;
};

/* One check of a file, and where to count. */
struct check {
    struct case_file *file;
    size_t number; /* 1 = first */
    struct outcome *outcome;
};

/* A value of a result, or of a case file: null, true, false or an integer. */
enum value_kind { VALUE_UNKNOWN, VALUE_NULL, VALUE_TRUTH, VALUE_NUMBER };

struct value {
    enum value_kind kind;
    bool truth;
    uint64_t number;
};

static struct value of_number(uint64_t number)
{
    if (number == TG_NO_BOUND) {
        return (struct value){.kind = VALUE_NULL};
    }
    return (struct value){.kind = VALUE_NUMBER, .number = number};
}

static struct value of_truth(bool truth)
{
    return (struct value){.kind = VALUE_TRUTH, .truth = truth};
}

static struct value of_node(struct case_file *file, const yaml_node_t *node)
{
    const char *text = case_text(node);

    if (case_is_null(node)) {
        return (struct value){.kind = VALUE_NULL};
    }
    if (text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        return of_truth(text[0] == 't');
    }
    return of_number(case_number(file, node));
}

static const char *value_text(struct value v, char *text, size_t size)
{
    switch (v.kind) {
    case VALUE_NULL:
        return "null";
    case VALUE_TRUTH:
        return v.truth ? "true" : "false";
    case VALUE_NUMBER:
        (void)snprintf(text, size, "%" PRIu64, v.number);
        return text;
    default:
        return "no such value";
    }
}

static void compare(const struct check *check, const char *key, struct value want, struct value got)
{
    char want_text[24];
    char got_text[24];

    check->outcome->compared++;
    if (want.kind == got.kind && want.truth == got.truth && want.number == got.number) {
        return;
    }
    check->outcome->different++;
    (void)printf("%s check %zu %s: expected %s, got %s\n", check->file->path, check->number, key,
                 value_text(want, want_text, sizeof want_text),
                 value_text(got, got_text, sizeof got_text));
}

static struct value task_value(const struct tg_task_result *t, const char *key)
{
    if (strcmp(key, "R") == 0) {
        return of_number(t->response.value);
    }
    if (strcmp(key, "Rr") == 0) {
        return of_number(t->from_release);
    }
    if (strcmp(key, "B") == 0) {
        return of_number(t->blocking.total);
    }
    if (strcmp(key, "L") == 0) {
        return of_number(t->busy_window);
    }
    if (strcmp(key, "ok") == 0) {
        return of_truth(t->met);
    }
    return (struct value){.kind = VALUE_UNKNOWN};
}

static struct value flow_value(const struct tg_flow_result *f, const char *key)
{
    const struct {
        const char *key;
        uint64_t number;
    } numbers[] = {
        {"L_acc", f->accepted.value},      {"E_acc", f->accepted_receiver.value},
        {"L_conf", f->conforming.value},   {"E_conf", f->conforming_receiver.value},
        {"L_nom", f->nominal.value},       {"alpha", f->acceptance},
        {"capacity_need", f->budget_need}, {"backlog", f->backlog},
        {"B", f->blocking.total},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(key, numbers[i].key) == 0) {
            return of_number(numbers[i].number);
        }
    }
    if (strcmp(key, "lossless") == 0) {
        return of_truth(f->lossless);
    }
    if (strcmp(key, "ok") == 0) {
        return of_truth(f->met);
    }
    return (struct value){.kind = VALUE_UNKNOWN};
}

static struct value queue_value(const struct tg_queue_result *q, const char *key)
{
    if (strcmp(key, "alpha") == 0) {
        return of_number(q->acceptance.value);
    }
    if (strcmp(key, "alpha_nom") == 0) {
        return of_number(q->acceptance_nominal.value);
    }
    if (strcmp(key, "ring_need") == 0) {
        return of_number(q->ring_need);
    }
    if (strcmp(key, "M") == 0) {
        return of_number(q->moderation);
    }
    if (strcmp(key, "lossless") == 0) {
        return of_truth(q->lossless);
    }
    return (struct value){.kind = VALUE_UNKNOWN};
}

/* "KIND/NAME/KEY" of a result, or "ok". Names may hold a slash: the last one ends them. */
static struct value result_value(const struct tg_analysis_input *in,
                                 const struct tg_analysis_result *r, const char *path)
{
    const char *key = strrchr(path, '/');
    const char *name = strchr(path, '/');

    if (strcmp(path, "ok") == 0) {
        return of_truth(r->ok);
    }
    if (key == NULL || key == name) {
        return (struct value){.kind = VALUE_UNKNOWN};
    }
    const int kind_length = (int)(name - path);
    const int name_length = (int)(key - ++name);
    key++;
    for (size_t i = 0; strncmp(path, "tasks", (size_t)kind_length) == 0 && i < in->n_tasks; i++) {
        if (strlen(in->tasks[i].name) == (size_t)name_length &&
            strncmp(in->tasks[i].name, name, (size_t)name_length) == 0) {
            return task_value(&r->tasks[i], key);
        }
    }
    for (size_t i = 0; strncmp(path, "flows", (size_t)kind_length) == 0 && i < in->n_flows; i++) {
        if (strlen(in->flows[i].name) == (size_t)name_length &&
            strncmp(in->flows[i].name, name, (size_t)name_length) == 0) {
            return flow_value(&r->flows[i], key);
        }
    }
    for (size_t i = 0; strncmp(path, "queues", (size_t)kind_length) == 0 && i < in->n_queues; i++) {
        if (strlen(in->queues[i].name) == (size_t)name_length &&
            strncmp(in->queues[i].name, name, (size_t)name_length) == 0) {
            return queue_value(&r->queues[i], key);
        }
    }
    return (struct value){.kind = VALUE_UNKNOWN};
}

/* The tool's own bound, where it differs: analysis.md to the letter is not safe everywhere. */
static void note(const struct check *check, const char *key, struct value published,
                 struct value safe)
{
    char published_text[24];
    char safe_text[24];

    if (published.kind == safe.kind && published.truth == safe.truth &&
        published.number == safe.number) {
        return;
    }
    (void)printf("note: %s check %zu %s: %s as published, the safe bound is %s\n",
                 check->file->path, check->number, key,
                 value_text(published, published_text, sizeof published_text),
                 value_text(safe, safe_text, sizeof safe_text));
}

static void check_analyse(const struct check *check, const struct tg_analysis_input *in,
                          const yaml_node_t *map)
{
    const yaml_node_t *expect = case_get(check->file, map, "expect");
    struct tg_analysis_input published_in = *in;
    struct tg_analysis_result published;
    struct tg_analysis_result safe;

    if (expect == NULL || expect->type != YAML_MAPPING_NODE) {
        case_fault(check->file, map, "expect: not a mapping");
        return;
    }
    published_in.as_published = true;
    if (tg_analyse(&published_in, &published) != 0) {
        case_fault(check->file, map, "the analysis refused the system");
        return;
    }
    if (tg_analyse(in, &safe) == 0) {
        for (const yaml_node_pair_t *p = expect->data.mapping.pairs.start;
             p < expect->data.mapping.pairs.top; p++) {
            yaml_document_t *document = &check->file->document;
            const char *key = case_text(yaml_document_get_node(document, p->key));
            const yaml_node_t *want = yaml_document_get_node(document, p->value);
            const struct value got = result_value(in, &published, key);
            compare(check, key, of_node(check->file, want), got);
            note(check, key, got, result_value(in, &safe, key));
        }
        tg_analysis_result_free(&safe);
    }
    tg_analysis_result_free(&published);
}

static void check_synth_server(const struct check *check, const struct tg_analysis_input *in,
                               const yaml_node_t *map)
{
    const yaml_node_t *node = case_get(check->file, map, "server");
    const char *name = case_text(node);

    for (size_t i = 0; name != NULL && i < in->n_servers; i++) {
        uint64_t capacity;
        if (strcmp(in->servers[i].name, name) != 0) {
            continue;
        }
        if (tg_fit_server(in, i, &capacity) != 0) {
            case_fault(check->file, map, "the analysis refused the system");
            return;
        }
        struct value want = of_node(check->file, case_get(check->file, map, "expect"));
        if (want.kind == VALUE_NULL) {
            want = of_number(0); /* no capacity at all */
        }
        compare(check, "synth_server", want, of_number(capacity));
        return;
    }
    case_fault(check->file, node, "no such server");
}

static void compare_caps(const struct check *check, const struct tg_analysis_input *in,
                         const struct tg_fit_candidate *c, const yaml_node_t *caps)
{
    for (const yaml_node_pair_t *p = caps->data.mapping.pairs.start;
         p < caps->data.mapping.pairs.top; p++) {
        yaml_document_t *document = &check->file->document;
        const char *name = case_text(yaml_document_get_node(document, p->key));
        const yaml_node_t *want = yaml_document_get_node(document, p->value);
        struct value got = {.kind = VALUE_UNKNOWN};
        for (size_t i = 0; i < in->n_flows; i++) {
            if (strcmp(in->flows[i].name, name) == 0) {
                got = of_number(c->feasible ? c->flows[i].packets : TG_NO_BOUND);
            }
        }
        compare(check, name, of_node(check->file, want), got);
    }
}

static void check_synth_budgets(const struct check *check, const struct tg_analysis_input *in,
                                const yaml_node_t *map)
{
    struct tg_analysis_input published_in = *in;
    const yaml_node_t *expect = case_get(check->file, map, "expect");
    const yaml_node_t *caps = case_get(check->file, expect, "caps");
    const yaml_node_t *qmax = case_get(check->file, map, "qmax");
    const struct tg_fit_options options = {
        .budget_max = qmax == NULL ? TG_ANALYSIS_BUDGET_MAX : case_number(check->file, qmax)};
    struct tg_fit_result result;

    published_in.as_published = true;
    if (tg_fit(&published_in, &options, &result) != 0) {
        case_fault(check->file, map, "the analysis refused the system");
        return;
    }
    const struct tg_fit_candidate *c = &result.candidates[0];
    if (case_is_null(expect)) {
        compare(check, "feasible", of_truth(false), of_truth(c->feasible));
    } else {
        compare(check, "Q", of_node(check->file, case_get(check->file, expect, "Q")),
                of_number(c->feasible ? c->gates[0].packets : TG_NO_BOUND));
    }
    if (caps != NULL && caps->type == YAML_MAPPING_NODE) {
        compare_caps(check, in, c, caps);
    }
    tg_fit_result_free(&result);
}

static void run_check(const struct check *check, const yaml_node_t *map)
{
    const yaml_node_t *kind = case_get(check->file, map, "kind");
    const char *text = case_text(kind);
    struct case_system system;
    char fault[256];

    if (text == NULL || case_get(check->file, map, "system") == NULL) {
        case_fault(check->file, map, "a check has a kind and a system");
        return;
    }
    case_system_read(check->file, case_get(check->file, map, "system"), &system);
    if (tg_analysis_input_check(&system.in, fault, sizeof fault) != 0) {
        case_fault(check->file, map, "%s", fault);
    } else if (strcmp(text, "analyse") == 0) {
        check_analyse(check, &system.in, map);
    } else if (strcmp(text, "synth_server") == 0) {
        check_synth_server(check, &system.in, map);
    } else if (strcmp(text, "synth_budgets") == 0) {
        check_synth_budgets(check, &system.in, map);
    } else {
        case_fault(check->file, kind, "unknown kind of check: %s", text);
    }
    case_system_free(&system);
}

static void run_file(const char *path, struct outcome *outcome)
{
    struct case_file file;

    if (!case_open(&file, path)) {
        outcome->faults++;
        return;
    }
    const yaml_node_t *checks = case_get(&file, case_root(&file), "checks");
    if (case_count(checks) == 0) {
        case_fault(&file, case_root(&file), "no checks");
    }
    for (size_t i = 0; i < case_count(checks); i++) {
        const struct check check = {&file, i + 1, outcome};
        run_check(&check, case_item(&file, checks, i));
    }
    outcome->faults += file.faults;
    case_close(&file);
}

static int is_case(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".json") == 0;
}

int main(int argc, char **argv)
{
    struct dirent **files = NULL;
    struct outcome outcome = {0};

    if (argc != 2) {
        (void)fprintf(stderr, "usage: analysis_cases DIRECTORY\n");
        return 2;
    }
    const int n = scandir(argv[1], &files, is_case, alphasort);
    if (n <= 0) {
        (void)fprintf(stderr, "%s: no case files (*.json)\n", argv[1]);
        free(files);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], files[i]->d_name);
        run_file(path, &outcome);
        free(files[i]);
    }
    free(files);
    (void)printf("%d files: %lu values as expected, %lu differ\n", n,
                 outcome.compared - outcome.different, outcome.different);
    if (outcome.faults > 0) {
        return 2;
    }
    return outcome.different > 0 ? 1 : 0;
}
