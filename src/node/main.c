/* SPDX-License-Identifier: MIT
 *
 * main.c - `tidegate-node`: what `tidegate run FILE --on lwip` goes on as.
 */
#include "live.h"
#include "live_server.h"
#include "node.h"
#include "report.h"
#include "run_options.h"

#include "report/terminal.h"
#include "system/value.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static int run(const struct tg_arguments *arguments);

#define STACK_BYTES  1048576u
#define LOCKED_BYTES (256u << 20) /* more than a node takes */

static const struct tg_command command = {
    .name = "run",
    .summary = "A system file on a real network: lwIP behind Tidegate, or behind a stock driver",
    .details = "This is `tidegate run FILE --on lwip`; docs/node.md has more.\n",
    .operands = {"FILE", NULL},
    .options = tg_run_options,
    .run = run,
    .examples = "tidegate run plant.yaml --on lwip --interface tap0 --address 10.0.0.2/24\n",
};

/* ---- Arguments ------------------------------------------------------------------------------- */

/* One policy a run: lwIP cannot be started twice. */
static int take_policy(const struct tg_arguments *arguments, enum tg_sim_policy *out)
{
    const char *const name = arguments->values[TG_RUN_POLICY];

    *out = name != NULL ? tg_run_policy(name, strlen(name)) : TG_SIM_TIDEGATE;
    /* The others are about controllers that nobody has here. */
    if (*out <= TG_SIM_STOCK_LIMITED || *out == TG_SIM_TIDEGATE) {
        return TG_EXIT_HOLDS;
    }
    return tg_command_misuse(&command,
                             "--policy: found '%s'; allowed on target lwip: one of stock-high, "
                             "stock-low, stock-limited, tidegate",
                             name);
}

/* A.B.C.D/PREFIX. */
static int take_address(const struct tg_arguments *arguments, struct tg_node_config *out)
{
    const char *const text = arguments->values[TG_RUN_ADDRESS];
    const char *const slash = text != NULL ? strchr(text, '/') : NULL;
    char host[INET_ADDRSTRLEN] = "";
    struct in_addr address;
    struct tg_value_error error;
    uint64_t prefix = 0u;

    if (text == NULL) {
        return TG_EXIT_HOLDS;
    }
    if (slash != NULL && (size_t)(slash - text) < sizeof host) {
        memcpy(host, text, (size_t)(slash - text));
    }
    if (slash == NULL || inet_pton(AF_INET, host, &address) != 1 ||
        tg_value_number(slash + 1, strlen(slash + 1), &prefix, &error) != 0 || prefix < 1u ||
        prefix > 31u) {
        return tg_command_misuse(&command,
                                 "--address: found '%s'; allowed: an IPv4 address and its prefix "
                                 "1..31, as in 10.0.0.2/24",
                                 text);
    }
    out->address.addr = address.s_addr;
    out->netmask.addr = htonl(UINT32_MAX << (32u - (uint32_t)prefix));
    return TG_EXIT_HOLDS;
}

static int take_duration(const struct tg_arguments *arguments, tg_ns *out)
{
    const char *const text = arguments->values[TG_RUN_FOR];
    struct tg_value_error error;

    *out = UINT64_MAX;
    if (text == NULL || tg_value_duration(text, strlen(text), out, &error) == 0) {
        return TG_EXIT_HOLDS;
    }
    return tg_command_misuse(&command, "--for: found '%s', %s; allowed: a duration, as in 10s",
                             text, error.reason);
}

/* What a file must have to be run on one interface. */
static int check_system(const char *path, const struct tg_system *s, enum tg_sim_policy policy)
{
    uint32_t n_queues;

    (void)tg_sim_queues(s, policy, &n_queues);
    if (s->receive.station.mac == TG_MAC_NONE) {
        fprintf(stderr,
                "%s: receive.station is missing; target lwip needs the node's own Ethernet "
                "address, as in 02:00:00:00:00:01\n",
                path);
        return TG_EXIT_USAGE;
    }
    if (n_queues != 1u) {
        fprintf(stderr,
                "%s:%u:%u: queues: found %u; allowed on target lwip: one, an interface of Linux "
                "has no hardware that sorts by flow\n",
                path, (unsigned)s->queues[1].at.line, (unsigned)s->queues[1].at.column,
                (unsigned)n_queues);
        return TG_EXIT_USAGE;
    }
    return TG_EXIT_HOLDS;
}

static int load(const struct tg_arguments *arguments, enum tg_sim_policy policy,
                struct tg_system **out)
{
    static struct tg_errors errors;
    const char *const path = arguments->operands[0];

    tg_errors_init(&errors);
    if (tg_system_load(path, out, &errors) != 0) {
        tg_errors_print(&errors, path, stderr);
        return TG_EXIT_USAGE;
    }
    return check_system(path, *out, policy);
}

static int take_arguments(const struct tg_arguments *arguments, struct tg_node_config *out,
                          tg_ns *for_ns)
{
    const char *const target = arguments->values[TG_RUN_ON];

    *out = (struct tg_node_config){.interface = arguments->values[TG_RUN_INTERFACE]};
    if (target != NULL && strcmp(target, "lwip") != 0) {
        return tg_command_misuse(&command, "unknown target '%s', allowed here: lwip", target);
    }
    int status = tg_run_refuse(&command, arguments, TG_RUN_SCENARIO, TG_RUN_TRACE_WINDOW, "lwip");

    if (status == TG_EXIT_HOLDS && out->interface == NULL) {
        return tg_command_misuse(&command, "target lwip needs --interface NAME");
    }
    if (status == TG_EXIT_HOLDS) {
        status = take_policy(arguments, &out->policy);
    }
    if (status == TG_EXIT_HOLDS) {
        status = take_address(arguments, out);
    }
    if (status == TG_EXIT_HOLDS) {
        status = take_duration(arguments, for_ns);
    }
    return status;
}

/* ---- While it runs --------------------------------------------------------------------------- */

static void write_document(struct tg_node *node, const struct tg_sim_results *results,
                           uint32_t held, FILE *out)
{
    struct tg_json j;

    tg_json_start(&j, out);
    tg_node_json(node, results, &j);
    tg_json_count(&j, "buffers_lost", held);
    tg_json_bool(&j, "holds", tg_node_holds(node, results) && held == 0u);
    tg_json_end(&j);
    (void)tg_json_finish(&j); /* who wrote the stream looks at it */
}

/* An answer for `tidegate top`. */
static void answer(void *ctx, char request, FILE *out)
{
    struct tg_node *const node = ctx;
    struct tg_sim_results results;

    if (tg_node_read(node, &results) == 0 && request == TG_LIVE_JSON) {
        write_document(node, &results, 0u, out);
    } else if (results.flows != NULL) {
        tg_node_print(node, &results, out, request == TG_LIVE_COLOUR);
    }
    tg_sim_results_free(&results);
}

static void say_where(const struct tg_node *node, const char *name)
{
    char text[IPADDR_STRLEN_MAX] = "no IPv4 address";
    const struct netif *const n = &node->netif;

    if (!ip4_addr_isany_val(node->cfg.address)) {
        (void)ip4addr_ntoa_r(&node->cfg.address, text, sizeof text);
    }
    fprintf(stderr, "%s: %02x:%02x:%02x:%02x:%02x:%02x, %s, ", node->cfg.interface, n->hwaddr[0],
            n->hwaddr[1], n->hwaddr[2], n->hwaddr[3], n->hwaddr[4], n->hwaddr[5], text);
    (void)ip6addr_ntoa_r(netif_ip6_addr(n, 0), text, sizeof text);
    fprintf(stderr, "%s; `tidegate top %s` shows what it does, Ctrl-C ends it\n", text, name);
}

/* Until a signal comes or the time is over. */
static void wait_for_end(struct tg_node *node, struct tg_live_server *server, int signals,
                         tg_ns for_ns)
{
    for (;;) {
        const tg_ns past_ns = tg_posix_port_now_ns() - node->start_ns;
        const tg_ns left_ns = for_ns > past_ns ? for_ns - past_ns : 0u;
        const struct timespec timeout = {.tv_sec = (time_t)(left_ns / 1000000000u),
                                         .tv_nsec = (long)(left_ns % 1000000000u)};
        struct pollfd waiting[] = {{.fd = signals, .events = POLLIN},
                                   {.fd = server->fd, .events = POLLIN}};
        const int ready = ppoll(waiting, 2u, for_ns == UINT64_MAX ? NULL : &timeout, NULL);

        if (ready == 0 || waiting[0].revents != 0) {
            return;
        }
        if (waiting[1].revents != 0) {
            tg_live_serve(server, answer, node);
        }
    }
}

/* SIGINT and SIGTERM as something to read, for all threads that start from now on. */
static int open_signals(void)
{
    sigset_t set;

    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void say_buffers(const struct tg_node *node, uint32_t held, FILE *out)
{
    const unsigned all = (unsigned)node->system->receive.buffers_pkts;

    if (held == 0u) {
        fprintf(out, "\nAll %u packet buffers are back.\n", all);
    } else {
        fprintf(out, "\n%u of %u packet buffers did not come back.\n", (unsigned)held, all);
    }
}

/* The figures are those of the last moment before the stop: they need the threads. */
static int finish(struct tg_node *node, bool is_json)
{
    struct tg_sim_results results;
    const int err = tg_node_read(node, &results);
    const uint32_t held = tg_node_stop(node);
    const bool holds = err == 0 && held == 0u && tg_node_holds(node, &results);

    if (err != 0) {
        fputs("tidegate run: out of memory\n", stderr);
    } else if (is_json) {
        write_document(node, &results, held, stdout);
    } else {
        tg_node_print(node, &results, stdout, tg_terminal_has_colour(stdout));
        say_buffers(node, held, stdout);
    }
    tg_sim_results_free(&results);
    tg_node_free(node);
    return err != 0 ? TG_EXIT_LACKS
                    : tg_command_finish(&command, holds ? TG_EXIT_HOLDS : TG_EXIT_FAILS);
}

static int run_node(const struct tg_node_config *cfg, const struct tg_arguments *arguments,
                    tg_ns for_ns)
{
    static struct tg_node node; /* lwIP's threads outlive this function */
    const char *const name =
        arguments->values[TG_RUN_NAME] != NULL ? arguments->values[TG_RUN_NAME] : cfg->interface;
    const int signals = open_signals();
    struct tg_live_server server;
    int status = tg_live_open(&server, name);

    if (status == TG_EXIT_HOLDS) {
        status = tg_node_start(&node, cfg);
    }
    if (status == TG_EXIT_HOLDS) {
        say_where(&node, name);
        wait_for_end(&node, &server, signals, for_ns);
    }
    tg_live_close(&server);
    (void)close(signals);
    return status == TG_EXIT_HOLDS ? finish(&node, arguments->values[TG_RUN_JSON] != NULL) : status;
}

/* A page fault is a delay that no file describes. What is locked is also filled at once, so stacks
 * are as large as they need to be. */
static void lock_memory(void)
{
    pthread_attr_t attr;

    if (pthread_attr_init(&attr) == 0) {
        (void)pthread_attr_setstacksize(&attr, STACK_BYTES);
        (void)pthread_setattr_default_np(&attr);
        (void)pthread_attr_destroy(&attr);
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        return;
    }
    /* Without the right to more, the first allocation beyond RLIMIT_MEMLOCK would fail. */
    void *const probe = mmap(NULL, LOCKED_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (probe == MAP_FAILED) {
        (void)munlockall();
    } else {
        (void)munmap(probe, LOCKED_BYTES);
    }
}

static int run(const struct tg_arguments *arguments)
{
    static struct tg_system *system; /* threads of a node that could not start still read it */
    struct tg_node_config cfg;
    tg_ns for_ns = UINT64_MAX;
    int status = take_arguments(arguments, &cfg, &for_ns);

    if (status == TG_EXIT_HOLDS) {
        status = load(arguments, cfg.policy, &system);
    }
    if (status == TG_EXIT_HOLDS) {
        lock_memory();
        cfg.system = system;
        status = run_node(&cfg, arguments, for_ns);
    }
    return status;
}

int main(int argc, char **argv)
{
    return tg_command_run(&command, argc - 1, argv + 1);
}
