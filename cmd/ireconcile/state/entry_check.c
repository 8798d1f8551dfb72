/* Part of state/entry.h: what the programs of the entries read. */
#include "state/entry.h"

#include <string.h>

#include "base/textlist.h"
#include "json/jvtext.h"

struct known {
	struct textlist owned, related, operator_keys;
	bool filters;
};

static void
note_known(struct known *k, const struct entry *e)
{
	for (size_t j = 1; j < e->use_count; j++)
		textlist_add(
		    e->uses[j]->role == USE_DEPENDENT ? &k->owned : &k->related,
		    e->uses[j]->name, strlen(e->uses[j]->name));
	jv_object_foreach(e->operator_, key, value)
	{
		struct span s = jvtext_span(key);

		textlist_add(&k->operator_keys, s.p, s.n);
		jv_free(key);
		jv_free(value);
	}
	k->filters = k->filters || e->conf->filter_count > 0;
}

static int
check_entry(
    const struct entry *e, const struct program_known *known, struct err *err)
{
	if (program_check_reads(e->program, known, err) != 0 ||
	    (e->when != NULL && program_check_reads(e->when, known, err) != 0))
		return -1;
	for (size_t j = 1; j < e->use_count; j++)
		if (e->uses[j]->map != NULL &&
		    program_check_reads(e->uses[j]->map, known, err) != 0)
			return -1;
	return 0;
}

/* Whether a primary of the entry may have to be cleaned up by its program. */
static bool
may_finalize(const struct watch_entry *conf)
{
	return conf->finalizer != NULL || conf->retired_finalizers.count > 0 ||
	    conf->when != NULL;
}

/* Of the entries with this program, the first one tells. */
static void
check_finalize(const struct entries *es, const struct entry *e)
{
	const struct entry *first = NULL;

	if (!program_defines(e->program, PROGRAM_FINALIZE))
		return;
	for (size_t i = 0; i < es->count; i++) {
		const struct entry *other = es->items[i];

		if (strcmp(other->conf->program, e->conf->program) != 0)
			continue;
		if (may_finalize(other->conf))
			return;
		if (first == NULL)
			first = other;
	}
	if (first == e)
		program_warn_finalize(e->program);
}

/* A program may be that of several entries, so what all have counts. */
int
entries_check(const struct entries *es, struct err *err)
{
	struct known k = {.filters = false};
	struct program_known known;
	int rc = 0;

	for (size_t i = 0; i < es->count; i++)
		note_known(&k, es->items[i]);
	known = (struct program_known){
	    &k.owned, &k.related, &k.operator_keys, k.filters};
	for (size_t i = 0; i < es->count && rc == 0; i++)
		rc = check_entry(es->items[i], &known, err);
	for (size_t i = 0; i < es->count && rc == 0; i++)
		check_finalize(es, es->items[i]);
	textlist_release(&k.owned);
	textlist_release(&k.related);
	textlist_release(&k.operator_keys);
	return rc;
}
