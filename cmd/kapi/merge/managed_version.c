/*
 * Part of merge/managed_entry.h. Entries of another version than the request's:
 * the objects must be of that version's type, too. merge/update.go,
 * managedfields/internal/versionconverter.go.
 */
#include "merge/managed_entry.h"

/* Whether another schema than the request's applies; NULL: no such version. */
static bool
is_other(const struct managed_write *w, const struct managed_entry *x,
    const struct schema **schema)
{
	if (w->schema_of == NULL || span_eq(x->api_version, w->api_version))
		return false;
	*schema = w->schema_of(w->schema_arg, x->api_version);
	return *schema != w->schema;
}

struct span
managed_misfit(const struct managing *m, const struct managed_entry *x,
    const struct node *object)
{
	const struct schema *schema;

	if (!is_other(m->write, x, &schema))
		return SPAN_NONE;
	if (schema == NULL)
		return arena_printf(m->arena,
		    "request to convert CR to an invalid group/version: %.*s",
		    SPAN_ARG(x->api_version));
	return shape_check(
	    m->arena, shape_of(schema), object, DUPLICATES_REFUSED);
}

struct span
managed_misfit_any(struct managing *m, const struct managed_entry *except,
    const struct node *object, const struct managed_entry **which)
{
	struct span why = SPAN_NONE;

	for (size_t i = 0; i < m->entries.n && why.n == 0; i++) {
		*which = &m->entries.items[i];
		if (*which != except)
			why = managed_misfit(m, *which, object);
	}
	return why;
}

struct span
managed_reconcile_versions(struct managing *m, const struct node *live)
{
	const struct managed_entry *which;
	const struct schema *schema;

	/* Versions of built-in kinds share their schema, or are gone. */
	if (m->write->schema->name.n == 0)
		return managed_misfit_any(m, NULL, live, &which);
	for (size_t i = 0; i < m->entries.n; i++)
		if (is_other(m->write, &m->entries.items[i], &schema))
			managed_entry_set_fields(&m->entries.items[i], NULL);
	return SPAN_NONE;
}
