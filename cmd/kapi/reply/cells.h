/*
 * cells: the cells of one row of a Table. Each function of cells_*.c writes all
 * cells of one kind, in the order of its columns; rows of kinds/ name them.
 * Source of what they say: kubernetes/pkg/printers/internalversion/printers.go.
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
};

void cell_text(struct cells *c, struct span text);
void cell_str(struct cells *c, const char *text);
/* Text at a path of the object; absent or empty: or. */
void cell_path(struct cells *c, const char *path, const char *otherwise);
void cell_int(struct cells *c, int64_t n);
void cell_int_path(struct cells *c, const char *path); /* absent: 0 */
void cell_bool(struct cells *c, bool value);
void cell_null(struct cells *c);
void cell_name(struct cells *c);
void cell_age(struct cells *c); /* since metadata.creationTimestamp */
void cell_fmt(struct cells *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* "4m5s" ago, as duration.HumanDuration has it; "<unknown>" if there is no
 * time, "<invalid>" if it is not a time. In the arena. */
struct span cells_since(struct cells *c, struct span time);
struct span cells_duration(struct arena *a, int64_t seconds);
/* "a=b,c=d" sorted; "<none>" for no labels. */
struct span cells_labels(struct arena *a, const struct node *labels);
/* A LabelSelector as labels.Selector prints it; otherwise: of an empty one. */
struct span cells_selector(
    struct arena *a, const struct node *selector, const char *otherwise);
/* The items of a list with commas between them: texts, or what they have at
 * key (NULL: texts). */
void cell_texts(struct cells *c, const struct node *list, const char *key);
/* The name, and whether one of these annotations (other may be NULL) makes the
 * object the default of its kind. */
void cell_default_name(
    struct cells *c, const char *annotation, const char *other);
/* Texts, sorted, each once, joined by separator. */
struct span cells_join(
    struct arena *a, struct span *items, size_t n, const char *separator);

cells_fn cells_pod, cells_job, cells_controllerrevision;
cells_fn cells_service, cells_node, cells_event, cells_endpoints,
    cells_endpointslice, cells_pv, cells_pvc, cells_ingress, cells_ingressclass,
    cells_binding, cells_hpa, cells_storageclass, cells_quota, cells_signing,
    cells_ipaddress;
conditions_fn cells_pod_conditions;

#endif
