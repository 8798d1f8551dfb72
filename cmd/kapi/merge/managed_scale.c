/*
 * Part of merge/managed.h. Ownership across the scale subresource:
 * apimachinery/pkg/util/managedfields/scalehandler.go.
 */
#include "merge/managed.h"
#include "merge/managed_entry.h"

struct node *
managed_to_scale(
    struct arena *a, const struct node *parent_fields, const char *replicas)
{
	struct managed_entries parent, scale = {.arena = a};

	managed_entries_decode(&parent, a, parent_fields, FROM_STORE, NULL);
	for (size_t i = 0; i < parent.n; i++) {
		struct managed_entry x = parent.items[i];

		if (!fieldset_has(
			managed_entry_set(&parent, &x, NULL), replicas))
			continue;
		x.api_version = span_str("autoscaling/v1");
		managed_entry_set_fields(&x, fieldset_of(a, "spec.replicas"));
		managed_entries_add(&scale, &x);
	}
	return managed_entries_encode(&scale);
}

struct node *
managed_from_scale(struct arena *a, const struct node *parent_fields,
    const struct node *scale_fields, struct span api_version,
    const char *replicas)
{
	struct managed_entries parent, scale, result = {.arena = a};
	struct fieldset *path = fieldset_of(a, replicas);

	managed_entries_decode(&parent, a, parent_fields, FROM_STORE, NULL);
	managed_entries_decode(&scale, a, scale_fields, FROM_STORE, NULL);
	for (size_t i = 0; i < parent.n; i++) {
		struct managed_entry x = parent.items[i];
		struct fieldset *set = managed_entry_set(&parent, &x, NULL);
		struct managed_entry *kept = managed_entries_find(&scale, &x);

		if (fieldset_has(set, replicas)) {
			if (kept == NULL)
				managed_entry_set_fields(
				    &x, fieldset_difference(a, set, path));
			else
				managed_entry_set_fields(kept, NULL);
		}
		if (!fieldset_empty(x.set))
			managed_entries_add(&result, &x);
	}
	for (size_t i = 0; i < scale.n; i++) {
		struct managed_entry x = scale.items[i];
		struct managed_entry *before =
		    managed_entries_find(&parent, &x);

		if (!fieldset_has(
			managed_entry_set(&scale, &x, NULL), "spec.replicas"))
			continue;
		x.api_version = api_version;
		/* The server, too, knows no other time. */
		x.time = before == NULL ? SPAN_NONE : before->time;
		managed_entry_set_fields(&x, path);
		managed_entries_add(&result, &x);
	}
	return managed_entries_encode(&result);
}
