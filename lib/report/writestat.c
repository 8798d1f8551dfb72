#include "report/writestat.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"
#include "value/objref.h"

enum { WRITESTATS_MAX = 1000 }; /* input by hand may name any kind */

static char *
name_of(struct span group, struct span kind)
{
	struct buf b = BUF_INIT;

	objref_add_kind(&b, kind, group);
	for (size_t i = 0; i < b.len; i++)
		b.data[i] = (char)tolower((unsigned char)b.data[i]);
	return buf_take(&b);
}

struct writestat *
writestat_of(
    struct writestats *t, struct span group, struct span kind, uint64_t max)
{
	char *name = name_of(group, kind);
	struct writestat *found = map_get(&t->by_name, span_str(name));

	if (found == NULL && t->by_name.count >= WRITESTATS_MAX) {
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
writestats_release(struct writestats *t)
{
	struct writestat *i;

	for (size_t n = 0; (i = map_next(&t->by_name, &n)) != NULL;) {
		free(i->name);
		free(i);
	}
	map_release(&t->by_name);
}

void
writestats_begin(struct writestats *t)
{
	struct writestat *i;

	for (size_t n = 0; (i = map_next(&t->by_name, &n)) != NULL;)
		i->active = i->busy_ms = i->longest_ms = 0;
}

void
writestat_busy(struct writestat *t, uint64_t ms)
{
	t->active++;
	t->busy_ms += ms;
	if (ms > t->longest_ms)
		t->longest_ms = ms;
}

static void
add_errors(const struct writestat *i, struct metric_lines *m)
{
	metric_add(m, METRIC_RECONCILE_TOTAL, METRIC_LABELS(i->name, "error"),
	    (double)i->errors);
	metric_add(m, METRIC_RECONCILE_ERRORS, METRIC_LABELS(i->name),
	    (double)i->errors);
}

void
writestats_errors(const struct writestats *t, struct metric_lines *m)
{
	void **list = map_sorted(&t->by_name);

	for (size_t n = 0; n < t->by_name.count; n++)
		add_errors(list[n], m);
	free(list);
}

void
writestats_metrics(const struct writestats *t, struct metric_lines *m)
{
	void **list = map_sorted(&t->by_name);

	for (size_t n = 0; n < t->by_name.count; n++) {
		const struct writestat *i = list[n];
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
