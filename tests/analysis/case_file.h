/* SPDX-License-Identifier: MIT
 *
 * case_file.h - one case file: systems, and what is known about them (analysis.md, section 17).
 */
#ifndef TG_CASE_FILE_H
#define TG_CASE_FILE_H

#include "analysis/analysis.h"

#include <yaml.h>

/* JSON is YAML to libyaml, so its document is the file. */
struct case_file {
    const char *path;
    yaml_document_t document;
    unsigned faults; /* problems of the file itself, each printed on standard error */
};

/* A system with the storage of its arrays. */
struct case_system {
    struct tg_analysis_input in;
    struct tg_analysis_task *tasks;
    struct tg_analysis_server *servers;
    struct tg_analysis_gate gate;
    struct tg_analysis_queue *queues;
    struct tg_analysis_flow *flows;
};

/* Returns false if the file cannot be read as a document; it is then closed. */
bool case_open(struct case_file *file, const char *path);
void case_close(struct case_file *file);

void case_fault(struct case_file *file, const yaml_node_t *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Access to the document. A missing key is NULL; NULL has no children and no text. */
yaml_node_t *case_root(struct case_file *file);
yaml_node_t *case_get(struct case_file *file, const yaml_node_t *map, const char *key);
size_t case_count(const yaml_node_t *list);
yaml_node_t *case_item(struct case_file *file, const yaml_node_t *list, size_t index);
const char *case_text(const yaml_node_t *scalar); /* NULL if it is none */
bool case_is_null(const yaml_node_t *node);       /* missing, or null */

/* An integer >= 0, or fault and 0. */
uint64_t case_number(struct case_file *file, const yaml_node_t *scalar);

/* Read a check's `system`. Faults are counted in the file. case_system_free() is due. */
void case_system_read(struct case_file *file, const yaml_node_t *map, struct case_system *system);
void case_system_free(struct case_system *system);

#endif
