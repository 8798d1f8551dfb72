#include "conf/watchfilter.h"

#include <string.h>

#include "base/mem.h"

static int
load_command(struct conf *c, const struct yaml *y, struct watch_filter *f)
{
	f->line = y->line;
	if (y->type != YAML_SEQUENCE)
		return conf_fail(c, y->line,
		    "a filter must be a list: the program and its arguments");
	for (size_t i = 0; i < y->count; i++) {
		const char *word = "";

		if (conf_text(c, y->values[i], "a word of a filter", &word) !=
		    0)
			return -1;
		textlist_add(&f->command, word, strlen(word));
	}
	if (f->command.count == 0 || *f->command.items[0] == '\0')
		return conf_fail(c, y->line, "a filter has no program");
	return 0;
}

int
watchfilter_load(struct conf *c, const struct yaml *y, struct watch_entry *e)
{
	if (y->type == YAML_SCALAR && yaml_is_null(y))
		return 0;
	if (y->type != YAML_SEQUENCE)
		return conf_fail(c, y->line, "filters must be a list");
	e->filters = mem_zalloc((y->count + 1) * sizeof(*e->filters));
	for (size_t i = 0; i < y->count; i++) {
		struct watch_filter *f = &e->filters[e->filter_count++];

		textlist_init(&f->command);
		if (load_command(c, y->values[i], f) != 0)
			return -1;
	}
	return 0;
}

void
watchfilter_release(struct watch_filter *f)
{
	textlist_release(&f->command);
}
