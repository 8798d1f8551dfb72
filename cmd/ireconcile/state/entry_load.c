/* Part of state/entry.h: the entries of a watches file, with their kinds and
 * programs, from the start to the end. */
#include "state/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/textlist.h"
#include "json/jvtext.h"
#include "state/backoff.h"
#include "state/said.h"
#include "state/index.h"
#include "state/primary.h"

/* Kind, or Kind.group where the role has two groups with this Kind. */
static char *
use_name(
    const struct watch_kind *k, const struct watch_kind *kinds, size_t count)
{
	struct buf name = BUF_INIT;

	for (size_t i = 0; i < count; i++)
		if (&kinds[i] != k && strcmp(kinds[i].kind, k->kind) == 0) {
			watch_kind_name(k, &name);
			return buf_take(&name);
		}
	return mem_strdup(k->kind);
}

static struct use *
add_use(struct entries *es, struct entry *e, enum use_role role,
    const struct watch_kind *conf)
{
	struct cache_kind *k = cache_add_kind(&es->store, conf);
	struct use *u = mem_zalloc(sizeof(*u));

	u->entry = e;
	u->conf = conf;
	u->kind = k;
	u->role = role;
	k->uses = mem_grow(k->uses, k->use_count, sizeof(*k->uses));
	k->uses[k->use_count++] = u;
	k->hides = k->hides || conf->redact.count > 0;
	e->uses = mem_grow(e->uses, e->use_count, sizeof(*e->uses));
	e->uses[e->use_count++] = u;
	if (strcmp(k->name, "Namespace") == 0 &&
	    (conf->manage || conf->deletes))
		es->store.has_rooms = true;
	return u;
}

/* An expression that stands in this line of watches.yaml; NULL with err. */
static struct program *
load_expression(const struct entries *es, const struct entry *e, int line,
    const char *text, const char *what, struct err *err)
{
	struct program_options options = {
	    .expression = what, .debugs = es->debugs};
	struct buf name = BUF_INIT;
	struct program *p;

	buf_addf(&name, "%s:%d", e->conf->path, line);
	p = program_load_expression(buf_str(&name), text, &options, err);
	buf_release(&name);
	return p;
}

static int
add_kinds(struct entries *es, struct entry *e, enum use_role role,
    const struct watch_kind *kinds, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct watch_kind *k = &kinds[i];
		struct use *u = add_use(es, e, role, k);

		u->name = use_name(k, kinds, count);
		if (k->map != WATCH_MAP_JQ)
			continue;
		u->map =
		    load_expression(es, e, k->map_line, k->map_arg, "map", err);
		if (u->map == NULL)
			return -1;
	}
	return 0;
}

/* Notes which functions see the objects; desired and plan see only what
 * desiredReads lists. */
static void
note_seen(struct entry *e)
{
	unsigned hidden = e->conf->reads_owned
	    ? 0
	    : 1u << PROGRAM_DESIRED | 1u << PROGRAM_PLAN;

	e->now_seen_by = program_sees(e->program, "now");
	e->error_seen_by = program_sees(e->program, "error");
	e->outstanding_seen_by = program_sees(e->program, "outstanding");
	for (size_t i = 0; i < e->use_count; i++)
		if (e->uses[i]->role == USE_DEPENDENT)
			e->uses[i]->seen_by =
			    program_sees_owned(e->program, e->uses[i]->name) &
			    ~hidden;
}

static int
entry_init(struct entries *es, struct entry *e, const struct watch_entry *conf,
    const char *const *library_dirs, struct err *err)
{
	struct program_options options = {
	    .library_dirs = library_dirs, .debugs = es->debugs};

	e->conf = conf;
	e->operator_ = jvtext_parse(span_str(conf->operator_json), err);
	if (!jv_is_valid(e->operator_))
		return -1;
	if (conf->reads_owned)
		options.desired_reads |= PROGRAM_READS_OWNED;
	if (conf->reads_now)
		options.desired_reads |= PROGRAM_READS_NOW;
	e->program = program_load(conf->program, &options, err);
	if (e->program == NULL)
		return -1;
	if (conf->when != NULL) {
		e->when = load_expression(
		    es, e, conf->when_line, conf->when, "when", err);
		if (e->when == NULL)
			return -1;
	}
	add_use(es, e, USE_PRIMARY, &conf->primary);
	if (add_kinds(es, e, USE_DEPENDENT, conf->dependents,
		conf->dependent_count, err) != 0)
		return -1;
	note_seen(e);
	return add_kinds(
	    es, e, USE_RELATED, conf->related, conf->related_count, err);
}

/* ---- what programs read ---- */

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

/* A finalize that is never called is warned about, by the first of the entries
 * with this program. */
static void
check_finalize(const struct entries *es, const struct entry *e)
{
	const struct entry *first = NULL;

	if (!program_defines(e->program, PROGRAM_FINALIZE))
		return;
	for (size_t i = 0; i < es->count; i++) {
		const struct watch_entry *conf = es->items[i]->conf;

		if (strcmp(conf->program, e->conf->program) != 0)
			continue;
		if (conf->finalizer != NULL || conf->when != NULL ||
		    conf->retired_finalizers.count > 0)
			return;
		if (first == NULL)
			first = es->items[i];
	}
	if (first == e)
		program_warn_finalize(e->program);
}

/* Names in the programs that cannot be meant. A program may be that of several
 * entries, so what all have counts. */
static int
check_programs(const struct entries *es, struct err *err)
{
	struct textlist owned, related, operator_keys;
	struct program_known known = {&owned, &related, &operator_keys, false};
	int rc = 0;

	textlist_init(&owned);
	textlist_init(&related);
	textlist_init(&operator_keys);
	for (size_t i = 0; i < es->count; i++) {
		const struct entry *e = es->items[i];

		known.filters = known.filters || e->conf->filter_count > 0;
		for (size_t j = 1; j < e->use_count; j++)
			textlist_add(e->uses[j]->role == USE_DEPENDENT
				? &owned
				: &related,
			    e->uses[j]->name, strlen(e->uses[j]->name));
		jv_object_foreach(e->operator_, key, value)
		{
			struct span s = jvtext_span(key);

			textlist_add(&operator_keys, s.p, s.n);
			jv_free(key);
			jv_free(value);
		}
	}
	for (size_t i = 0; i < es->count && rc == 0; i++)
		rc = check_entry(es->items[i], &known, err);
	for (size_t i = 0; i < es->count && rc == 0; i++)
		check_finalize(es, es->items[i]);
	textlist_release(&owned);
	textlist_release(&related);
	textlist_release(&operator_keys);
	return rc;
}

/* ---- start and end ---- */

int
entries_init(struct entries *es, const struct watches *w,
    const char *const *library_dirs, struct err *err)
{
	if (w->namespaces.kind != NULL) {
		es->namespaces = cache_add_kind(&es->store, &w->namespaces);
		es->store.has_rooms = true;
	}
	instances_init(&es->instances, w);
	es->items = mem_zalloc(w->count * sizeof(*es->items));
	for (size_t i = 0; i < w->count; i++) {
		struct entry *e = mem_zalloc(sizeof(*e));

		e->operator_ = jv_invalid();
		e->proof = es->proof;
		e->store = &es->store;
		e->namespaces = es->namespaces;
		e->instances = &es->instances;
		e->instance = instances_of(&es->instances, &w->entries[i]);
		e->instance_number =
		    instances_number(&es->instances, span_str(e->instance));
		es->items[es->count++] = e;
		if (entry_init(es, e, &w->entries[i], library_dirs, err) != 0)
			return -1;
	}
	return check_programs(es, err);
}

static void
entry_free(struct entry *e)
{
	struct primary *p;

	for (size_t i = 0; (p = map_next(&e->primaries, &i)) != NULL;)
		primary_free(p);
	map_release(&e->primaries);
	backoff_release(&e->backoffs);
	said_release_claims(e);
	index_release(e);
	for (size_t i = 0; i < e->use_count; i++) {
		program_free(e->uses[i]->map);
		index_release_named(e->uses[i]);
		free(e->uses[i]->name);
		free(e->uses[i]);
	}
	free(e->uses);
	free(e->waiting);
	program_free(e->when);
	program_free(e->program);
	jv_free(e->operator_);
	free(e);
}

void
entries_release(struct entries *es)
{
	for (size_t i = 0; i < es->count; i++)
		entry_free(es->items[i]);
	free(es->items);
	instances_release(&es->instances);
	cache_release(&es->store);
}
