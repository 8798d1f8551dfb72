#include "report/effort.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"
#include "value/objref.h"

enum { EFFORTS_MAX = 1000 }; /* input by hand may name any kind */

static char *
name_of(struct span group, struct span kind)
{
	struct buf b = BUF_INIT;

	objref_add_kind(&b, kind, group);
	for (size_t i = 0; i < b.len; i++)
		b.data[i] = (char)tolower((unsigned char)b.data[i]);
	return buf_take(&b);
}

struct effort *
effort_of(struct efforts *t, struct span group, struct span kind, uint64_t max)
{
	char *name = name_of(group, kind);
	struct effort *found = map_get(&t->by_name, span_str(name));

	if (found == NULL && t->by_name.count >= EFFORTS_MAX) {
		free(name);
		name = mem_strdup("other");
		found = map_get(&t->by_name, span_str(name));
	}
	if (found == NULL) {
		found = mem_zalloc(sizeof(*found));
		found->name = name;
		map_put(&t->by_name, span_str(name), found);
		name = NULL;
	}
	free(name);
	found->max = max;
	return found;
}

void
efforts_release(struct efforts *t)
{
	struct effort *i;

	for (size_t n = 0; (i = map_next(&t->by_name, &n)) != NULL;) {
		free(i->name);
		free(i);
	}
	map_release(&t->by_name);
}

void
efforts_begin(struct efforts *t)
{
	struct effort *i;

	for (size_t n = 0; (i = map_next(&t->by_name, &n)) != NULL;)
		i->active = i->busy_ms = i->longest_ms = 0;
}

void
effort_busy(struct effort *t, uint64_t ms)
{
	t->active++;
	t->busy_ms += ms;
	if (ms > t->longest_ms)
		t->longest_ms = ms;
}

static void
add_errors(const struct effort *i, struct metric_lines *m)
{
	metric_add(m, METRIC_RECONCILE_TOTAL, METRIC_LABELS(i->name, "error"),
	    (double)i->errors);
	metric_add(m, METRIC_RECONCILE_ERRORS, METRIC_LABELS(i->name),
	    (double)i->errors);
}

void
efforts_errors(const struct efforts *t, struct metric_lines *m)
{
	void **list = map_sorted(&t->by_name);

	for (size_t n = 0; n < t->by_name.count; n++)
		add_errors(list[n], m);
	free(list);
}

void
efforts_metrics(const struct efforts *t, struct metric_lines *m)
{
	void **list = map_sorted(&t->by_name);

	for (size_t n = 0; n < t->by_name.count; n++) {
		const struct effort *i = list[n];
		const struct metric_labels *by = METRIC_LABELS(i->name);
		const struct metric_labels *queue =
		    METRIC_LABELS(i->name, i->name);

		add_errors(i, m);
		metric_add(m, METRIC_MAX_CONCURRENT, by, (double)i->max);
		metric_add(m, METRIC_ACTIVE_WORKERS, by, (double)i->active);
		metric_add(m, METRIC_QUEUE_UNFINISHED, queue,
		    (double)i->busy_ms / 1000);
		metric_add(m, METRIC_QUEUE_LONGEST, queue,
		    (double)i->longest_ms / 1000);
	}
	free(list);
}
