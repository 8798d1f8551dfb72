#include "greeting.h"

#include <string.h>

#include "process/log.h"
#include "process/version.h"
#include "tools.h"

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
greeting_add(struct buf *b, const struct watches *w, const char *name,
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
		tools_describe_filters(e, b);
		buf_addc(b, '\n');
	}
}

void
greeting_log(char *text)
{
	char *line;

	while (text != NULL && *text != '\0' &&
	    (line = strsep(&text, "\n")) != NULL)
		log_info("%s", line);
}
