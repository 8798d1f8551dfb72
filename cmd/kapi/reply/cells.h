/*
 * cells: the cells of one row of a Table. The words of columns (columns.h) are
 * functions here and in cells_*.c, which write one cell each. Source of what
 * they say: kubernetes/pkg/printers/internalversion/printers.go.
 */
#ifndef CELLS_H
#define CELLS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/strategy.h"

struct cells {
	struct buf *out;
	struct arena *arena;
	int64_t now; /* clock_real_us */
	const struct node *object;
	const struct resource *resource;
	/* The column: the text behind its word, or the path that is its
	 * source; and the text for an absent value. */
	const char *path, *otherwise;
};

void cell_text(struct cells *c, struct span text);
void cell_str(struct cells *c, const char *text);
/* Text at a path of the object; absent or empty: or. */
void cell_path(struct cells *c, const char *path, const char *otherwise);
void cell_int(struct cells *c, int64_t n);
void cell_bool(struct cells *c, bool value);
void cell_json(struct cells *c, struct span json);
void cell_name(struct cells *c);
void cell_age(struct cells *c); /* since metadata.creationTimestamp */
void cell_fmt(struct cells *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "4m5s" ago, as duration.HumanDuration has it; "<unknown>" if there is no
 * time, "<invalid>" if it is not a time. In the arena. */
struct span cells_since(struct cells *c, struct span time);
struct span cells_duration(struct arena *a, int64_t seconds);
/* A LabelSelector as labels.Selector prints it; otherwise: of an empty one. */
struct span cells_selector(
    struct arena *a, const struct node *selector, const char *otherwise);
/* Texts, sorted, each once, joined by separator. */
struct span cells_join(
    struct arena *a, struct span *items, size_t n, const char *separator);

/* All cells of a kind whose columns are not each on its own. */
cells_fn cells_pod, cells_event, cells_ipaddress;
conditions_fn cells_pod_conditions;

/* The words of columns, in columns.c: of many kinds, in cells.c; of the core
 * group, in cells_core.c; the others, in cells_misc.c. */
cells_fn cell_int_at, cell_bool_at, cell_since, cell_seconds, cell_labels,
    cell_selector, cell_list, cell_names, cell_images, cell_first,
    cell_default_name;
cells_fn cell_external_ip, cell_ports, cell_endpoints, cell_slice_ports,
    cell_slice_addresses, cell_hosts, cell_balancer, cell_tls_ports,
    cell_parameters, cell_quota;
cells_fn cell_node_status, cell_node_roles, cell_node_address, cell_node_kernel,
    cell_modes, cell_claim_modes, cell_claim_capacity, cell_phase, cell_class,
    cell_claim, cell_subjects, cell_metrics, cell_signing, cell_job_status,
    cell_job_completions, cell_job_duration, cell_controller;

#endif
