#include "inputof.h"

#include <string.h>

#include "process/log.h"
#include "state/primary.h"

struct parts {
	struct span kind, namespace_, name;
};

static bool
split(const char *key, enum watch_scope scope, struct parts *parts)
{
	struct span rest = span_str(key);

	*parts = (struct parts){.namespace_ = SPAN_NONE};
	parts->kind = span_cut(&rest, '/');
	if (scope == WATCH_NAMESPACED)
		parts->namespace_ = span_cut(&rest, '/');
	parts->name = rest;
	return parts->name.n > 0 && span_find(rest, '/') == NULL &&
	    (scope == WATCH_CLUSTER || parts->namespace_.n > 0);
}

/* By its name alone, or with the group. */
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
		struct parts parts;

		if (!is_kind(k, key))
			continue;
		known = true;
		if (!split(key, k->scope, &parts))
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

static struct primary *
find(const struct entry *e, const char *key)
{
	struct buf at = BUF_INIT;
	struct primary *p = NULL;
	struct parts parts;

	if (is_kind(&e->conf->primary, key) &&
	    split(key, e->conf->primary.scope, &parts)) {
		cache_add_key(&at, parts.namespace_, parts.name);
		p = map_get(&e->primaries, buf_span(&at));
	}
	buf_release(&at);
	return p != NULL && p->object != NULL ? p : NULL;
}

int
inputof_print(struct reconciler *r, const char *key)
{
	int printed = 0;

	if (r->incomplete || r->counters.bad_lines > 0)
		return -1; /* logged */
	for (size_t i = 0; i < r->es.count; i++) {
		struct primary *p = find(r->es.items[i], key);
		struct buf line = BUF_INIT;
		struct err err = ERR_INIT;

		if (p == NULL)
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
