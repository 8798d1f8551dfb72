#include "conf/instances.h"

#include <string.h>

const char *
instances_of(const struct instances *all, const struct watch_entry *conf)
{
	if (all->as_they_stand)
		return NULL;
	return conf->instance != NULL ? conf->instance : all->name;
}

static void
add(struct instances *all, const char *name)
{
	textlist_add(&all->known, name, strlen(name));
}

void
instances_init(struct instances *all, const struct watches *w)
{
	const char *first = instances_of(all, &w->entries[0]);

	textlist_init(&all->known);
	for (size_t i = 0; all->former != NULL && i < all->former->count; i++)
		add(all, all->former->items[i]);
	all->former_count = all->known.count;
	for (size_t i = 0; i < w->count; i++) {
		const char *name = instances_of(all, &w->entries[i]);

		if (name != NULL)
			add(all, name);
		all->differ = all->differ ||
		    strcmp(name ? name : "", first ? first : "") != 0;
	}
}

void
instances_release(struct instances *all)
{
	textlist_release(&all->known);
}

uint16_t
instances_number(const struct instances *all, struct span name)
{
	if (name.n == 0)
		return INSTANCES_NONE;
	for (size_t i = 0; i < all->known.count; i++)
		if (span_is(name, all->known.items[i]))
			return (uint16_t)(INSTANCES_FIRST + i);
	return INSTANCES_OTHER;
}

bool
instances_ours(const struct instances *all, uint16_t own, uint16_t number)
{
	return number == INSTANCES_NONE || number == own ||
	    all->as_they_stand ||
	    (number >= INSTANCES_FIRST &&
		number < INSTANCES_FIRST + all->former_count);
}

bool
instances_counts(const struct instances *all, uint16_t number)
{
	return number == INSTANCES_OTHER ||
	    (number != INSTANCES_NONE && all->differ);
}
