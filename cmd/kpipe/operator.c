#include "operator.h"

#include <stdlib.h>

#include "base/mem.h"
#include "conf/instancename.h"
#include "options.h"
#include "process/version.h"

/* ---- names ---- */

const char *
operator_name(const struct watches *w)
{
	const char *name = getenv("OPERATOR_NAME");

	return name != NULL && *name != '\0' ? name : w->entries[0].name;
}

/* The default name; like the name of a lease it must be a DNS name. */
char *
operator_lease(const struct watches *w)
{
	return mem_strdup(
	    options.lease != NULL ? options.lease : operator_name(w));
}

/*
 * If no object can have marks and no text is made of the key, it need not be
 * kept: a random one is used, so that forged marks do not count.
 */
char *
operator_secret(const struct watches *w)
{
	struct buf name = BUF_INIT;

	if (options.marks_key_file != NULL)
		return NULL;
	if (options.marks_key_secret != NULL)
		return mem_strdup(options.marks_key_secret);
	/* Entries that only retain come last, and then those that only prove:
	 * one more must not be another key. */
	for (size_t i = 0; i < 3 * w->count; i++) {
		const struct watch_entry *e = &w->entries[i % w->count];

		if (e->marks || e->random || (i >= w->count && e->retains) ||
		    (i >= 2 * w->count && e->proves)) {
			buf_addf(&name, "kpipe-marks-%s", e->name);
			return buf_take(&name);
		}
	}
	return NULL;
}

/* The first of those that the stages use (doc/protocol.md). */
char *
operator_field_manager(const struct watches *w)
{
	struct buf name = BUF_INIT;

	buf_addf(&name, "kpipe-%s", w->entries[0].name);
	return buf_take(&name);
}

int
operator_instance(char **name, struct err *err)
{
	const char *operator_ = getenv("OPERATOR_NAME");
	const char *pod = getenv("POD_NAMESPACE");
	struct buf b = BUF_INIT;

	*name = NULL;
	if (operator_ == NULL || *operator_ == '\0')
		return 0;
	if (pod != NULL && *pod != '\0')
		buf_addf(&b, "%s/", pod);
	buf_adds(&b, operator_);
	*name = buf_take(&b);
	return instancename_check("OPERATOR_NAME", *name, err);
}

/* ---- the first lines of the log ---- */

static void
add_scope(struct buf *b, const struct watch_kind *k)
{
	const struct textlist *names = &k->namespaces;

	if (k->scope == WATCH_CLUSTER) {
		buf_adds(b, " in the whole cluster");
		return;
	}
	if (names->count == 0) {
		buf_adds(b, " in all namespaces");
		return;
	}
	buf_adds(b, names->count > 1 ? " in namespaces " : " in namespace ");
	for (size_t i = 0; i < names->count; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", names->items[i]);
}

static void
add_kinds(struct buf *b, const char *what, const struct watch_kind *kinds,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0)
			buf_addf(b, "; %s ", what);
		else
			buf_adds(b, ", ");
		watch_kind_name(&kinds[i], b);
	}
}

void
operator_describe(struct buf *b, const struct watches *w, const char *name,
    const char *instance)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct watch_entry *e = &w->entries[i];

		buf_adds(b, KPIPE_VERSION " (");
		version_add_commit(b);
		buf_addf(b, ") runs %s for ", name);
		watch_kind_name(&e->primary, b);
		add_scope(b, &e->primary);
		if (e->instance != NULL || instance != NULL)
			buf_addf(b, " as instance %s",
			    e->instance != NULL ? e->instance : instance);
		add_kinds(b, "dependents", e->dependents, e->dependent_count);
		add_kinds(b, "related", e->related, e->related_count);
		for (size_t j = 0; j < e->filter_count; j++)
			buf_addf(b, "%s%s", j == 0 ? "; filters " : ", ",
			    e->filters[j].command.items[0]);
		buf_addc(b, '\n');
	}
}
