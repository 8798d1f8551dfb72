/* Updates: apimachinery/pkg/util/managedfields/internal/fieldmanager.go and
 * the managers that it is made of, structured-merge-diff/merge/update.go. */
#include "merge/managed.h"

#include "merge/managed_entry.h"
#include "type/decode.h"
#include "type/encode.h"

struct managed_entry
managed_self(const struct managed_write *w, struct span manager, bool applied)
{
	return (struct managed_entry){
	    .manager = manager.n == 0 ? span_str("unknown") : manager,
	    .api_version = w->api_version,
	    .subresource = w->subresource,
	    .applied = applied};
}

struct node *
managed_is_empty(const struct managed_write *w, const struct node *like)
{
	struct arena *a = w->arena;
	struct node *n = tree_object(a);

	/* Built-in types have fields that Go always writes. */
	if (w->schema->name.n > 0)
		encode_builtin(a, w->schema, n);
	tree_put(a, n, "apiVersion", tree_string(a, w->api_version));
	tree_put(
	    a, n, "kind", tree_string(a, tree_text(tree_get(like, "kind"))));
	return n;
}

int
managed_track_update(struct managing *m, const struct node *live,
    const struct node *object, struct span manager)
{
	struct arena *a = m->arena;
	struct shape_difference d;
	struct fieldset *set, *changed;
	struct managed_entry self, *mine;
	const struct managed_entry *which;

	if (managed_reconcile_versions(m, live).n > 0 ||
	    shape_compare(a, m->shape, live, object, &d) != 0 ||
	    managed_misfit_any(m, NULL, object, &which).n > 0)
		return -1;
	set = managed_filter(m->write, fieldset_union(a, d.modified, d.added));
	changed = fieldset_union(a, set, managed_filter(m->write, d.removed));
	for (size_t i = 0; changed != NULL && i < m->entries.n; i++) {
		struct managed_entry *x = &m->entries.items[i];
		struct fieldset *had =
		    managed_entry_set(&m->entries, x, &m->shape);
		struct fieldset *has = fieldset_difference(a, had, changed);

		if (has != had)
			managed_entry_set_fields(x, has);
	}
	managed_entries_sweep(&m->entries);
	set = managed_strip(a, set);
	if (set == NULL || manager.p == NULL)
		return 0;
	self = managed_self(m->write, manager, false);
	mine = managed_entries_find(&m->entries, &self);
	if (mine == NULL)
		mine = managed_entries_add(&m->entries, &self);
	managed_entry_set_fields(mine,
	    fieldset_union(
		a, set, managed_entry_set(&m->entries, mine, &m->shape)));
	mine->time = m->write->now;
	managed_entries_cap(&m->entries);
	return 0;
}

static bool
is_reset(const struct node *fields)
{
	const struct node *first;

	if (!tree_is(fields, NODE_ARRAY) || fields->n > 1)
		return false;
	if (fields->n == 0)
		return true;
	first = fields->items[0];
	return tree_is(first, NODE_NULL) ||
	    (tree_is(first, NODE_OBJECT) && first->n == 0);
}

/* The entries that the client sent, else the live ones. */
static void
decode_sent_or_live(
    struct managing *m, const struct node *live, const struct node *sent)
{
	const struct node *there = tree_path(live, "metadata.managedFields");

	if (m->write->subresource.n == 0 && sent != NULL) {
		if (is_reset(sent)) {
			managed_entries_decode(
			    &m->entries, m->arena, NULL, FROM_STORE, NULL);
			return;
		}
		if (!tree_equal(sent, there) &&
		    managed_entries_decode(
			&m->entries, m->arena, sent, FROM_CLIENT, NULL) == 0 &&
		    m->entries.n > 0)
			return;
	}
	managed_entries_decode(&m->entries, m->arena, there, FROM_STORE, NULL);
}

void
managed_update(
    const struct managed_write *w, const struct node *live, struct node *object)
{
	struct arena *a = w->arena;
	struct managing m = {w, a, shape_of(w->schema), {.arena = a}};
	struct node *metadata = tree_make(a, object, "metadata"), *fields;

	decode_sent_or_live(&m, live, tree_get(metadata, "managedFields"));
	tree_remove(metadata, "managedFields");
	/* An object without managers has none until the first apply. */
	if (m.entries.n == 0 && live != NULL)
		return;
	if (managed_track_update(&m,
		live == NULL ? managed_is_empty(w, object) : live, object,
		w->manager) != 0)
		return;
	fields = managed_entries_encode(&m.entries);
	if (fields != NULL)
		tree_put(a, metadata, "managedFields", fields);
}

static bool
same_managers(const struct node *x, const struct node *y)
{
	if (x == y)
		return true;
	if (tree_count(x) != tree_count(y))
		return false;
	for (size_t i = 0; i < tree_count(x); i++)
		if (!tree_equal_but(x->items[i], y->items[i], "time", NULL))
			return false;
	return true;
}

bool
managed_settle(const struct node *live, struct node *object)
{
	struct node *metadata = tree_get(object, "metadata");
	struct node *there = tree_get(live, "metadata");
	struct node *fields;

	if (!tree_equal_but(
		there, metadata, "resourceVersion", "managedFields") ||
	    !same_managers(tree_get(there, "managedFields"),
		tree_get(metadata, "managedFields")) ||
	    !tree_equal_but(live, object, "metadata", NULL))
		return false;
	fields = tree_get(metadata, "managedFields");
	if (fields != NULL) {
		/* The array may be live's own: replaced, not changed. */
		for (uint32_t i = 0; i < metadata->n; i++)
			if (metadata->members[i].value == fields)
				metadata->members[i].value =
				    tree_get(there, "managedFields");
	}
	return true;
}

struct span
managed_agent(struct arena *a, struct span user_agent)
{
	enum { MAX = 128 };
	const char *slash = span_find(user_agent, '/');
	size_t n =
	    slash == NULL ? user_agent.n : (size_t)(slash - user_agent.p);
	char *name = arena_alloc(a, MAX + 1);
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)user_agent.p[i];
		size_t bytes = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

		if (c < 0x20 || c == 0x7f)
			continue;
		if (length + bytes > MAX || i + bytes > n)
			break;
		memcpy(name + length, user_agent.p + i, bytes);
		length += bytes;
		i += bytes - 1;
	}
	return span_make(name, length);
}

/* ---- versions ---- */

/* Whether the entry x needs another schema than the request's: *schema, NULL if
 * the version does not exist. */
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

	/* Versions of a built-in kind share one schema; entries of a version
	 * that does not exist any more lose their fields. */
	if (m->write->schema->name.n == 0)
		return managed_misfit_any(m, NULL, live, &which);
	for (size_t i = 0; i < m->entries.n; i++)
		if (is_other(m->write, &m->entries.items[i], &schema))
			managed_entry_set_fields(&m->entries.items[i], NULL);
	return SPAN_NONE;
}

/* ---- fields that a path resets ---- */

struct fieldset *
managed_filter(const struct managed_write *w, struct fieldset *set)
{
	const struct reset *r = w->resets;
	bool main_path = w->subresource.n == 0;

	if (set == NULL || r == NULL || (main_path && !w->has_status))
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

/* ---- scale ---- */

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
		/* An old entry keeps its time, and a new one has none, as in
		 * the server. */
		x.time = before == NULL ? SPAN_NONE : before->time;
		managed_entry_set_fields(&x, path);
		managed_entries_add(&result, &x);
	}
	return managed_entries_encode(&result);
}
