/* SPDX-License-Identifier: MIT
 *
 * run.c - `tidegate run`: what happens to tasks and packets, under each policy, on the same
 * arrivals.
 */
#include "command.h"
#include "join.h"
#include "progress.h"
#include "proof.h"
#include "run_board.h"
#include "run_options.h"
#include "run_result.h"
#include "run_watch.h"
#include "span_text.h"

#include "report/terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES        64u      /* of each simulation, for the progress bar */
#define GATE_PERIOD_NS 1000000u /* of a searched gate where the system has none to take it from */

struct run {
    const struct tg_arguments *arguments;
    struct tg_system *system;
    const struct tg_proof *proof; /* NULL: the analysis does not take the file */
    struct tg_json json;
    struct tg_progress progress;
    struct tg_run_watch watch;
    bool policies[TG_SIM_POLICIES];
    bool is_judged[TG_SIM_POLICIES];
    bool is_json;
    bool holds;
    uint64_t packets;        /* simulated */
    uint64_t simulated_ns;   /* by simulations that have ended */
    uint64_t to_simulate_ns; /* in all, searches not counted */
    tg_ns sweep_at_ns;       /* of the run for the report that goes on */
    const char *doing;
    struct tg_server_config stock_gate;   /* of stock-limited in this scenario */
    tg_ns window[TG_SERVER_SPORADIC_MAX]; /* of a sporadic stock gate */
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* A file that has a queue for stock drivers compares controllers, else the drivers of one. */
static void take_default_policies(struct run *run)
{
    static const enum tg_sim_policy drivers[] = {TG_SIM_STOCK_HIGH, TG_SIM_STOCK_LOW,
                                                 TG_SIM_STOCK_LIMITED, TG_SIM_TIDEGATE};
    static const enum tg_sim_policy controllers[] = {TG_SIM_STOCK_HIGH, TG_SIM_STOCK_MODERATED,
                                                     TG_SIM_NIC, TG_SIM_COMBINED};
    const enum tg_sim_policy *const policies =
        run->system->stock_queue.ring_pkts != 0u ? controllers : drivers;

    for (uint32_t i = 0u; i < 4u; i++) {
        run->policies[policies[i]] = true;
        run->is_judged[policies[i]] = tg_sim_runs_core(policies[i]);
    }
}

static int take_policies(struct run *run)
{
    const char *const names = run->arguments->values[TG_RUN_POLICY];

    if (names == NULL) {
        take_default_policies(run);
        return 0;
    }
    for (const char *name = names;;) {
        const size_t length = strcspn(name, ",");

        const enum tg_sim_policy policy = tg_run_policy(name, length);

        if (policy == TG_SIM_POLICIES) {
            return tg_command_misuse(&tg_run_command,
                                     "unknown policy '%.*s', allowed: stock-high, stock-low, "
                                     "stock-limited, stock-moderated, nic, tidegate, combined",
                                     (int)length, name);
        }
        if (policy == TG_SIM_STOCK_MODERATED && run->system->stock_queue.ring_pkts == 0u) {
            return tg_command_misuse(&tg_run_command,
                                     "policy stock-moderated needs stock.queue in %s",
                                     run->arguments->operands[0]);
        }
        run->policies[policy] = true;
        run->is_judged[policy] = true;
        if (name[length] == '\0') {
            return 0;
        }
        name += length + 1u;
    }
}

static bool is_wanted(const struct run *run, const struct tg_system_scenario *scenario)
{
    const char *const name = run->arguments->values[TG_RUN_SCENARIO];

    return name == NULL || strcmp(name, scenario->name) == 0;
}

static bool is_wanted_for_watch(const void *ctx, const struct tg_system_scenario *scenario)
{
    return is_wanted(ctx, scenario);
}

static uint64_t count_policies(const struct run *run)
{
    uint64_t policies = 0u;

    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        policies += run->policies[p];
    }
    return policies;
}

/* How much there is to simulate; nothing is an error. */
static int plan(struct run *run)
{
    uint64_t scenarios_ns = 0u;
    size_t wanted = 0u;

    for (size_t i = 0u; i < run->system->n_scenarios; i++) {
        if (is_wanted(run, &run->system->scenarios[i])) {
            scenarios_ns += run->system->scenarios[i].for_ns +
                            tg_run_watch_to_simulate_ns(&run->watch, &run->system->scenarios[i]);
            wanted++;
        }
    }
    run->to_simulate_ns = scenarios_ns * count_policies(run);
    if (wanted != 0u) {
        return 0;
    }
    return tg_run_no_scenario("run", run->arguments->operands[0], run->system,
                              run->arguments->values[TG_RUN_SCENARIO]);
}

/* ---- Simulations ----------------------------------------------------------------------------- */

static void on_sample(void *ctx, tg_ns now_ns, const struct tg_sim_results *so_far)
{
    struct run *const run = ctx;

    (void)so_far;
    tg_progress_show(&run->progress, run->simulated_ns + now_ns, run->to_simulate_ns, run->doing);
}

/* The report has many runs in a row: time that goes back is the next one. */
static void on_sweep_sample(void *ctx, tg_ns now_ns, const struct tg_sim_results *so_far)
{
    struct run *const run = ctx;

    if (now_ns <= run->sweep_at_ns) {
        run->simulated_ns += run->sweep_at_ns;
    }
    run->sweep_at_ns = now_ns;
    on_sample(ctx, now_ns, so_far);
}

static int failed(const char *scenario, enum tg_sim_policy policy, int err, const char *why)
{
    fprintf(stderr, "tidegate run: scenario '%s', policy %s: %s\n", scenario,
            tg_sim_policy_name(policy),
            err == TG_SIM_ERR_MEMORY ? "out of memory"
            : why[0] != '\0'         ? why
                                     : "the arrivals are not in order");
    return err == TG_SIM_ERR_INVARIANT ? TG_EXIT_FAILS
           : err == TG_SIM_ERR_MEMORY  ? TG_EXIT_LACKS
                                       : TG_EXIT_USAGE;
}

static struct tg_sim_input input_for(struct run *run, const struct tg_system_scenario *scenario,
                                     struct tg_traffic *traffic)
{
    return (struct tg_sim_input){.system = run->system,
                                 .arrivals = {.next = tg_traffic_next, .ctx = traffic},
                                 .for_ns = scenario->for_ns,
                                 .seed = scenario->seed,
                                 .sample = on_sample,
                                 .sample_ctx = run,
                                 .sample_ns = scenario->for_ns / SAMPLES + 1u};
}

/* The gate of stock-limited: as written, or by search with the period of the first gate. */
static int find_gate(struct run *run, struct tg_sim_input *input, struct tg_traffic *traffic,
                     struct tg_run_result *r)
{
    const struct tg_system_budget *const written = &run->system->stock_gate;

    r->gate = written->at.line != 0u ? TG_RUN_GATE_WRITTEN : TG_RUN_GATE_SEARCHED;
    if (r->gate == TG_RUN_GATE_WRITTEN) {
        r->gate_pkts = written->packets;
        r->gate_period_ns = written->period_ns;
        input->stock_gate = (struct tg_server_config){
            .kind = written->kind,
            .budget_pkts = written->packets,
            .period_ns = written->period_ns,
            .window = written->kind == TG_SERVER_SPORADIC ? run->window : NULL};
        return 0;
    }
    r->gate_period_ns = run->system->gates[0].kind != TG_SERVER_UNLIMITED
                            ? run->system->gates[0].period_ns
                            : GATE_PERIOD_NS;
    run->doing = "searching a gate for stock-limited";

    const int err = tg_limit_search(input, traffic, r->gate_period_ns, &r->gate_pkts, &r->limit);

    input->stock_gate = (struct tg_server_config){
        .kind = TG_SERVER_DEFERRABLE, .budget_pkts = r->gate_pkts, .period_ns = r->gate_period_ns};
    return err != 0 ? failed(r->scenario->name, TG_SIM_STOCK_LIMITED, err, "") : 0;
}

static int simulate(struct run *run, struct tg_traffic *traffic, struct tg_run_result *r,
                    enum tg_sim_policy policy)
{
    struct tg_sim_input input = input_for(run, r->scenario, traffic);

    if (policy == TG_SIM_STOCK_LIMITED) {
        const int status = find_gate(run, &input, traffic, r);

        if (status != 0) {
            return status;
        }
        run->stock_gate = input.stock_gate;
    }
    run->doing = r->scenario->name;
    input.policy = policy;
    tg_traffic_rewind(traffic);
    r->has[policy] = true;
    tg_run_watch_begin(&run->watch, r->scenario, &input);

    const int err = tg_sim_run(&input, &r->policies[policy]);

    tg_run_watch_end(&run->watch);

    run->simulated_ns += r->scenario->for_ns;
    run->packets += r->policies[policy].packets;
    return err != 0 ? failed(r->scenario->name, policy, err, r->policies[policy].failure) : 0;
}

static int simulate_all(struct run *run, struct tg_traffic *traffic, struct tg_run_result *r)
{
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        if (run->policies[p]) {
            const int status = simulate(run, traffic, r, (enum tg_sim_policy)p);

            if (status != 0) {
                return status;
            }
            run->holds =
                run->holds && (!run->is_judged[p] || tg_run_holds(r, (enum tg_sim_policy)p));
        }
    }
    return 0;
}

/* Runs for the report come after those for the tables: these are already on the screen. */
static int watch_done(struct run *run, const struct tg_run_result *r)
{
    const uint64_t before_ns = run->simulated_ns;
    struct tg_sim_input input = input_for(run, r->scenario, NULL);

    input.stock_gate = run->stock_gate;
    input.sample = on_sweep_sample;
    run->sweep_at_ns = 0u;
    run->doing = "more rates for the report";

    const int status = tg_run_watch_done(&run->watch, r, &input);

    run->simulated_ns =
        before_ns + tg_run_watch_to_simulate_ns(&run->watch, r->scenario) * count_policies(run);
    tg_progress_end(&run->progress);
    return status;
}

static int run_scenario(struct run *run, const struct tg_system_scenario *scenario, bool is_first)
{
    struct tg_run_result r = {.system = run->system, .scenario = scenario, .proof = run->proof};
    struct tg_traffic *traffic;
    char text[512];

    if (tg_traffic_open(run->system, scenario, &traffic, text, sizeof text) != 0) {
        fprintf(stderr, "%s:%" PRIu32 ":%" PRIu32 ": scenario '%s': %s\n",
                run->arguments->operands[0], scenario->at.line, scenario->at.column, scenario->name,
                text);
        return TG_EXIT_USAGE;
    }
    tg_run_watch_scenario(&run->watch, scenario);

    int status = simulate_all(run, traffic, &r);

    tg_progress_end(&run->progress);
    if (status == 0 && run->is_json) {
        tg_run_json(&r, &run->json);
    } else if (status == 0) {
        fputs(is_first ? "" : "\n\n", stdout);
        tg_run_print(&r, stdout, tg_terminal_has_colour(stdout));
        fflush(stdout);
    }
    if (status == 0) {
        status = watch_done(run, &r);
    }
    for (uint32_t p = 0u; p < TG_SIM_POLICIES; p++) {
        tg_sim_results_free(&r.policies[p]);
    }
    tg_traffic_close(traffic);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int run_scenarios(struct run *run)
{
    bool is_first = true;

    for (size_t i = 0u; i < run->system->n_scenarios; i++) {
        const struct tg_system_scenario *const scenario = &run->system->scenarios[i];

        if (is_wanted(run, scenario)) {
            const int status = run_scenario(run, scenario, is_first);

            if (status != 0) {
                return status;
            }
            is_first = false;
        }
    }
    return 0;
}

/* A document is only begun when nothing can be wrong with the file any more, but a simulation may
 * still fail: then it stays open, and no reader takes it for a result. */
static int run_as_json(struct run *run)
{
    tg_json_start(&run->json, stdout);
    tg_json_object(&run->json, NULL);
    tg_json_text(&run->json, "system", run->system->name);
    tg_json_text(&run->json, "target", "sim");
    tg_json_array(&run->json, "scenarios");

    const int status = run_scenarios(run);

    if (status != 0) {
        return status;
    }
    tg_json_end(&run->json);
    tg_json_bool(&run->json, "holds", run->holds);
    tg_json_end(&run->json);
    return tg_json_finish(&run->json) == 0 ? 0 : TG_EXIT_LACKS;
}

static void say_elapsed(const struct run *run)
{
    char text[TG_SPAN_TEXT_BYTES];

    fprintf(stderr, "%" PRIu64 " packets simulated in %s\n", run->packets + run->watch.packets,
            tg_span_text(tg_progress_elapsed_ns(&run->progress), text));
}

static int open_watch(struct run *run)
{
    const char *const *const values = run->arguments->values;
    const struct tg_run_wishes wishes = {.runs = run->policies,
                                         .report_path = values[TG_RUN_REPORT],
                                         .trace_path = values[TG_RUN_TRACE],
                                         .trace_window = values[TG_RUN_TRACE_WINDOW],
                                         .system_path = run->arguments->operands[0],
                                         .policies = values[TG_RUN_POLICY],
                                         .scenario = values[TG_RUN_SCENARIO]};

    run->watch.is_wanted = is_wanted_for_watch;
    run->watch.is_wanted_ctx = run;
    return tg_run_watch_open(&run->watch, run->system, &wishes);
}

static int execute(struct run *run)
{
    int status = plan(run);

    if (status == 0) {
        status = open_watch(run);
    }
    if (status == 0) {
        status = plan(run); /* again: a report simulates more */
        tg_progress_start(&run->progress);
    }
    if (status == 0) {
        status = run->is_json ? run_as_json(run) : run_scenarios(run);
        tg_progress_end(&run->progress);
    }
    status = tg_run_watch_close(&run->watch, status);
    if (status != 0) {
        return status;
    }
    say_elapsed(run);
    return tg_command_finish(&tg_run_command, run->holds ? TG_EXIT_HOLDS : TG_EXIT_FAILS);
}

/* On as the program that is linked with a real stack; it reads all of it again. */
static int run_node(const struct tg_arguments *arguments)
{
    size_t n = 0u;

    while (arguments->words[n] != NULL) {
        n++;
    }
    char **const argv = calloc(n + 2u, sizeof *argv);

    if (argv != NULL) {
        static char name[] = "tidegate-node";

        argv[0] = name;
        memcpy(argv + 1, arguments->words, n * sizeof *argv);
        tg_join("-node", argv);
        free(argv);
    }
    (void)tg_command_misuse(&tg_run_command,
                            "target lwip needs tidegate-node beside tidegate: in a source tree, "
                            "`./dev run FILE --on lwip ...` builds both");
    return TG_EXIT_LACKS;
}

static int run_command(const struct tg_arguments *arguments)
{
    const char *const target = arguments->values[TG_RUN_ON];
    struct run run = {
        .arguments = arguments, .is_json = arguments->values[TG_RUN_JSON] != NULL, .holds = true};
    static struct tg_errors errors;

    if (target != NULL && strcmp(target, "lwip") == 0) {
        return run_node(arguments);
    }
    if (target != NULL && strcmp(target, "zynq") == 0) {
        return tg_run_on_board(arguments, TG_BOARD_ZYNQ);
    }
    if (target != NULL && strcmp(target, "virt") == 0) {
        return tg_run_on_board(arguments, TG_BOARD_VIRT);
    }
    if (target != NULL && strcmp(target, "sim") != 0) {
        return tg_command_misuse(&tg_run_command,
                                 "unknown target '%s', allowed: sim, lwip, zynq, virt", target);
    }
    const int misuse =
        tg_run_refuse(&tg_run_command, arguments, TG_RUN_INTERFACE, TG_RUN_NAME, "sim");

    if (misuse != 0) {
        return misuse;
    }
    tg_errors_init(&errors);
    if (tg_system_load(arguments->operands[0], &run.system, &errors) != 0) {
        tg_errors_print(&errors, arguments->operands[0], stderr);
        return TG_EXIT_USAGE;
    }
    struct tg_proof proof = {.system = NULL};
    int status = take_policies(&run);

    if (status == 0) {
        const enum tg_sim_policy proved =
            run.policies[TG_SIM_COMBINED] ? TG_SIM_COMBINED : TG_SIM_TIDEGATE;
        char text[512];

        /* What cannot be analysed can be simulated all the same: then there are no bounds. */
        run.proof =
            tg_proof_open_under(run.system, proved, &proof, text, sizeof text) == 0 ? &proof : NULL;
        status = execute(&run);
    }
    tg_proof_close(&proof);
    tg_system_free(run.system);
    return status;
}

const struct tg_command tg_run_command = {
    .name = "run",
    .summary = "What happens to tasks and packets, under each policy, on the same arrivals",
    .details =
        "FILE is a system file. Each of its scenarios is simulated under several policies on the\n"
        "same arrivals. The same file gives the same output on every machine.\n"
        "\n"
        "  stock-high       one queue for all packets, the protocol task is above every task\n"
        "  stock-low        the same, the protocol task is at its floor\n"
        "  stock-limited    as stock-high, but so many packets per period at most: stock.gate in\n"
        "                   the file, or the most with which no task misses a deadline\n"
        "  tidegate         flows with priorities, budgets and buffers of their own; `bound` is\n"
        "                   what `tidegate check` proves of it\n"
        "\n"
        "A file with stock.queue compares controllers instead: stock-high and\n"
        "\n"
        "  stock-moderated  the same with a moderated interrupt\n"
        "  nic              a receive queue for each range of priorities, below the same driver\n"
        "  combined         such queues below tidegate, held back by the running priority\n"
        "\n"
        "On target lwip the file runs on a real network instead: its flows and tasks on lwIP, "
        "behind a\n"
        "tap device or an Ethernet interface, under one policy; docs/node.md has more. On target "
        "zynq\n"
        "its scenarios run on firmware with the tables of `tidegate gen`, on an emulated "
        "Zynq-7000\n"
        "board, under stock-high, stock-low, stock-limited and tidegate; docs/lab.md has more.\n"
        "On target virt they run on firmware on QEMU's virt machine with the priority NIC, on a "
        "real\n"
        "network of its own, under stock-high and combined; docs/nic.md has more. It needs root.\n"
        "\n"
        "A report has a page of tables, sentences and figures, among them the flood at twelve\n"
        "other rates. A trace is for ui.perfetto.dev or chrome://tracing; 200000 events of each\n"
        "policy and scenario fit, and those that do not are counted.\n"
        "\n"
        "Exit status 1: under tidegate (combined, where controllers are compared), or any policy\n"
        "that --policy names, a job was unfinished past its deadline, or an accepted packet of a\n"
        "conforming flow was late. Loss is not lateness.\n",
    .operands = {"FILE", NULL},
    .options = tg_run_options,
    .run = run_command,
    .examples = "tidegate run examples/motor.yaml\n"
                "tidegate run examples/motor.yaml --scenario 'flood 1 Mpps' --policy tidegate\n"
                "tidegate run examples/motor.yaml --report out.html --trace out.json\n"
                "tidegate run examples/motor.yaml --on zynq\n"
                "tidegate run examples/nic.yaml --on virt\n"
                "tidegate run examples/motor.yaml --on lwip --interface tap0 --address "
                "10.0.0.2/24\n",
};
