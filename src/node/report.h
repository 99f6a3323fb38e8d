/* SPDX-License-Identifier: MIT
 *
 * report.h - what a node says: the tables of the simulator, and what only real threads have.
 */
#ifndef TG_NODE_REPORT_H
#define TG_NODE_REPORT_H

#include "node.h"

#include "report/json.h"

/* The tables.
 *
 * Context: main thread, started and not stopped, likewise below.
 * Cost:    O(flows + tasks), likewise below. */
void tg_node_print(struct tg_node *node, const struct tg_sim_results *results, FILE *out,
                   bool has_colour);

/* The same figures as a document, but for its end: `holds` and the closing brace are the
 * caller's. */
void tg_node_json(struct tg_node *node, const struct tg_sim_results *results, struct tg_json *j);

/* No job was late, and no packet of a flow whose source the file trusts. */
bool tg_node_holds(const struct tg_node *node, const struct tg_sim_results *results);

#endif
