#include "inputof.h"

#include <string.h>

#include "process/log.h"
#include "state/primary.h"

/* "NAMESPACE\0NAME" of a key of this kind. False: it has too many parts, or too
 * few. */
static bool
add_primary_key(struct buf *b, const struct watch_kind *k, const char *key)
{
	bool cluster = k->scope == WATCH_CLUSTER;
	struct span name = span_str(key), ns = SPAN_NONE;

	span_cut(&name, '/');
	if (!cluster)
		ns = span_cut(&name, '/');
	cache_add_key(b, ns, name);
	return name.n > 0 && span_find(name, '/') == NULL &&
	    (cluster || ns.n > 0);
}

/* The kind of a key is given by its name alone, or with the group. */
static bool
is_kind(const struct watch_kind *k, const char *key)
{
	struct span rest = span_str(key);
	struct span kind = span_cut(&rest, '/');
	struct buf name = BUF_INIT;
	bool is;

	watch_kind_name(k, &name);
	is = span_is(kind, k->kind) || span_eq(kind, buf_span(&name));
	buf_release(&name);
	return is;
}

int
inputof_check(const struct reconciler *r, const char *key, struct err *err)
{
	bool known = false;

	for (size_t i = 0; i < r->es.count; i++) {
		const struct watch_kind *k = &r->es.items[i]->conf->primary;
		struct buf at = BUF_INIT;
		bool whole = add_primary_key(&at, k, key);

		buf_release(&at);
		if (!is_kind(k, key))
			continue;
		known = true;
		if (!whole)
			return err_set(err, ERR_PERMANENT,
			    "option --input-of: %s is not %s", key,
			    k->scope == WATCH_CLUSTER ? "KIND/NAME"
						      : "KIND/NAMESPACE/NAME");
	}
	return known
	    ? 0
	    : err_set(err, ERR_PERMANENT,
		  "option --input-of: %s is not of a primary kind of the "
		  "watches file",
		  key);
}

int
inputof_print(struct reconciler *r, const char *key)
{
	int printed = 0;

	if (r->incomplete || r->counters.bad_lines > 0)
		return -1; /* logged */
	for (size_t i = 0; i < r->es.count; i++) {
		const struct entry *e = r->es.items[i];
		struct buf line = BUF_INIT, at = BUF_INIT;
		struct err err = ERR_INIT;
		struct primary *p = NULL;

		if (is_kind(&e->conf->primary, key) &&
		    add_primary_key(&at, &e->conf->primary, key))
			p = map_get(&e->primaries, buf_span(&at));
		buf_release(&at);
		if (p == NULL || p->object == NULL)
			continue;
		if (decide_input(p, sched_now_us(&r->sched), &line, &err) ==
		    0) {
			out_line(r->out, buf_span(&line));
			printed++;
		} else {
			log_error("%s: %s", key, err.message);
		}
		buf_release(&line);
	}
	if (printed == 0)
		log_error("%s is not there at the end of the input", key);
	return printed > 0 ? 0 : -1;
}
