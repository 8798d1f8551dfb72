/* Part of merge/managed_entry.h. Fields that no manager gets to own: through
 * some path (the resets of the strategy), or through any path. Source:
 * managedfields/internal/stripmeta.go.
 * (pods/ephemeralcontainers and pods/resize have filters, too, which the server
 * never asks for: their storage does not pass them on.) */
#include "merge/managed_entry.h"

struct fieldset *
managed_filter(const struct managed_write *w, struct fieldset *set)
{
	const struct reset *r = w->resets;
	bool main_path = w->subresource.n == 0;

	if (set == NULL || (main_path && !w->has_status))
		return set;
	while (r->subresource != NULL &&
	    !span_eq(w->subresource, span_str(r->subresource)))
		r++;
	for (size_t i = 0; r->subresource != NULL && r->paths[i] != NULL; i++)
		set = fieldset_difference_recursive(
		    w->arena, set, fieldset_of(w->arena, r->paths[i]));
	return set;
}

struct fieldset *
managed_strip(struct arena *a, struct fieldset *set)
{
	static const char *const fields[] = {"apiVersion", "kind", "metadata"};
	static const char *const of_metadata[] = {"clusterName",
	    "creationTimestamp", "generation", "managedFields", "name",
	    "namespace", "resourceVersion", "selfLink", "uid"};
	struct fieldset *top, *below;

	if (set == NULL)
		return NULL;
	top = fieldset_new(a);
	below = fieldset_new(a);
	for (size_t i = 0; i < sizeof(of_metadata) / sizeof(char *); i++) {
		struct fieldset_element e =
		    fieldset_element_field(span_str(of_metadata[i]));

		fieldset_add(a, below, &e, true, NULL);
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(char *); i++) {
		struct fieldset_element e =
		    fieldset_element_field(span_str(fields[i]));

		fieldset_add(a, top, &e, true, i == 2 ? below : NULL);
	}
	return fieldset_difference(a, set, top);
}
