/*
 * watchentry: one entry of watches.yaml and its keys. Part of watches.h; and
 * used only there.
 */
#ifndef WATCHENTRY_H
#define WATCHENTRY_H

#include <stdbool.h>

#include "base/textlist.h"
#include "conf/conf.h"
#include "conf/watches.h"
#include "conf/yaml.h"

/*
 * The namespaces of primaries for which the file has none. What the file has is
 * a ceiling: an option may only choose among them.
 */
struct watchentry_scope {
	struct textlist namespaces;
	bool overrides;		 /* an option: it goes before the variable */
	const char *what, *text; /* borrowed; the source, and its text */
};

void watchentry_init(struct watch_entry *e);
int watchentry_load(struct conf *c, const struct yaml *y,
    const struct watchentry_scope *scope, struct watch_entry *e);
void watchentry_release(struct watch_entry *e);

#endif
