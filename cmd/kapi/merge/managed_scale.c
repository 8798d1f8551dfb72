/* Ownership across the scale subresource:
 * apimachinery/pkg/util/managedfields/scalehandler.go. */
#include "merge/managed.h"
#include "merge/managed_entry.h"

struct node *
managed_to_scale(
    struct arena *a, const struct node *parent_fields, const char *replicas)
{
	struct entries parent, scale = {.arena = a};

	entries_decode(&parent, a, parent_fields, FROM_STORE, NULL);
	for (size_t i = 0; i < parent.n; i++) {
		struct entry x = parent.items[i];

		if (!fieldset_has(entry_set(&parent, &x, NULL), replicas))
			continue;
		x.api_version = span_str("autoscaling/v1");
		entry_set_fields(&x, fieldset_of(a, "spec.replicas"));
		entries_add(&scale, &x);
	}
	return entries_encode(&scale);
}

struct node *
managed_from_scale(struct arena *a, const struct node *parent_fields,
    const struct node *scale_fields, struct span api_version,
    const char *replicas)
{
	struct entries parent, scale, result = {.arena = a};
	struct fieldset *path = fieldset_of(a, replicas);

	entries_decode(&parent, a, parent_fields, FROM_STORE, NULL);
	entries_decode(&scale, a, scale_fields, FROM_STORE, NULL);
	for (size_t i = 0; i < parent.n; i++) {
		struct entry x = parent.items[i];
		struct fieldset *set = entry_set(&parent, &x, NULL);
		struct entry *kept = entries_find(&scale, &x);

		if (fieldset_has(set, replicas)) {
			if (kept == NULL)
				entry_set_fields(
				    &x, fieldset_difference(a, set, path));
			else
				entry_set_fields(kept, NULL);
		}
		if (!fieldset_empty(x.set))
			entries_add(&result, &x);
	}
	for (size_t i = 0; i < scale.n; i++) {
		struct entry x = scale.items[i];
		struct entry *before = entries_find(&parent, &x);

		if (!fieldset_has(entry_set(&scale, &x, NULL), "spec.replicas"))
			continue;
		x.api_version = api_version;
		/* The server, too, knows no other time. */
		x.time = before == NULL ? SPAN_NONE : before->time;
		entry_set_fields(&x, path);
		entries_add(&result, &x);
	}
	return entries_encode(&result);
}
