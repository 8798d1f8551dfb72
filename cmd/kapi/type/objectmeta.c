#include "type/objectmeta.h"

#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "process/clock.h"
#include "text/gotext.h"
#include "text/random.h"
#include "type/names.h"
#include "type/strategy.h"

enum { ANNOTATIONS_MAX = 256 * 1024, GENERATED_BASE_MAX = 58 };

struct span
objectmeta_uuid(struct arena *a)
{
	char *p = arena_alloc(a, RANDOM_UUID + 1);

	random_uuid(RANDOM_OBJECTS, p);
	return span_make(p, RANDOM_UUID);
}

struct span
objectmeta_time_now(struct arena *a)
{
	char *p = arena_alloc(a, CLOCK_RFC3339_MAX);

	clock_format_s(clock_real_us() / 1000000, p);
	return span_str(p);
}

struct span
objectmeta_time_now_micro(struct arena *a)
{
	char *p = arena_alloc(a, CLOCK_RFC3339_MAX);

	clock_format_us(clock_real_us(), p);
	return span_str(p);
}

/* A prefix and five characters of the server's alphabet, which has no vowels
 * and no digits that look like letters. */
struct span
objectmeta_generate_name(struct arena *a, struct span base)
{
	static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
	unsigned char b[5];
	char suffix[6];

	random_bytes(RANDOM_OBJECTS, b, sizeof b);
	for (size_t i = 0; i < sizeof b; i++)
		suffix[i] = alphabet[b[i] % (sizeof alphabet - 1)];
	suffix[5] = '\0';
	if (base.n > GENERATED_BASE_MAX)
		base.n = GENERATED_BASE_MAX;
	return arena_printf(a, "%.*s%s", SPAN_ARG(base), suffix);
}

void
objectmeta_wipe(struct node *object)
{
	static const char *const owned[] = {"creationTimestamp", "uid",
	    "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"};
	struct node *m = tree_get(object, "metadata");

	for (size_t i = 0; m != NULL && i < COUNT(owned); i++)
		tree_remove(m, owned[i]);
}

void
objectmeta_create(struct arena *a, const struct resource *r,
    struct node *object, struct span now)
{
	struct node *m = tree_make(a, object, "metadata");
	struct span prefix = tree_text(tree_get(m, "generateName"));

	(void)r;
	tree_put(a, m, "creationTimestamp", tree_string(a, now));
	tree_put(a, m, "uid", tree_string(a, objectmeta_uuid(a)));
	if (prefix.n > 0 && tree_text(tree_get(m, "name")).n == 0)
		tree_put(a, m, "name",
		    tree_string(a, objectmeta_generate_name(a, prefix)));
}

static void
check_labels(struct causes *c, const struct node *labels)
{
	for (size_t i = 0; i < tree_count(labels); i++) {
		struct span key = labels->members[i].key;

		name_qualified(c, span_str("metadata.labels"), key, key);
		name_label_value(c, span_str("metadata.labels"),
		    tree_text(labels->members[i].value));
	}
}

void
objectmeta_check_annotations(
    struct causes *c, struct span field, const struct node *annotations)
{
	size_t total = 0;

	for (size_t i = 0; i < tree_count(annotations); i++) {
		const struct member *m = &annotations->members[i];

		name_qualified(c, field, m->key, arena_lower(c->arena, m->key));
		total += m->key.n + tree_text(m->value).n;
	}
	if (total > ANNOTATIONS_MAX)
		cause_too_long(c, field, NULL, ANNOTATIONS_MAX);
}

static void
check_owner(struct causes *c, const struct node *ref)
{
	static const char *const members[] = {
	    "apiVersion", "kind", "name", "uid"};
	struct span at = span_str("metadata.ownerReferences");
	struct span api = tree_path_text(ref, "apiVersion");
	struct span kind = tree_path_text(ref, "kind");

	for (size_t i = 0; i < COUNT(members); i++) {
		struct span text = tree_path_text(ref, members[i]);

		if (text.n == 0 || (i == 0 && span_ends(text, "/")))
			cause_invalid_text(c,
			    cause_path_field(
				c->arena, at, span_str(members[i])),
			    text,
			    i == 0 ? "version must not be empty"
				   : "must not be empty");
	}
	if (span_is(api, "v1") && span_is(kind, "Event"))
		cause_invalid(c, at, ref,
		    "/v1, Kind=Event is disallowed from being an owner");
}

static void
check_owners(struct causes *c, const struct node *owners)
{
	const struct node *controller = NULL;

	for (size_t i = 0; i < tree_count(owners); i++) {
		const struct node *ref = owners->items[i];

		check_owner(c, ref);
		if (!tree_true(tree_get(ref, "controller")))
			continue;
		if (controller == NULL) {
			controller = ref;
			continue;
		}
		cause_invalid(c, span_str("metadata.ownerReferences"), owners,
		    arena_printf(c->arena,
			"Only one reference can have Controller set to true. "
			"Found \"true\" in references for %.*s/%.*s and "
			"%.*s/%.*s",
			SPAN_ARG(tree_text(tree_get(controller, "kind"))),
			SPAN_ARG(tree_text(tree_get(controller, "name"))),
			SPAN_ARG(tree_text(tree_get(ref, "kind"))),
			SPAN_ARG(tree_text(tree_get(ref, "name"))))
			.p);
	}
}

static bool
is_standard_finalizer(struct span f)
{
	return span_is(f, "orphan") || span_is(f, "foregroundDeletion") ||
	    span_is(f, "kubernetes");
}

/* Definitions themselves are checked by another library. */
static bool
is_extension(const struct resource *r)
{
	return span_is(r->group, "apiextensions.k8s.io");
}

/* For built-in kinds; custom resources get a warning instead. */
static void
check_finalizer_domain(struct causes *c, struct span f, size_t i)
{
	if (span_find(f, '/') == NULL && !is_standard_finalizer(f))
		cause_invalid_text(c,
		    cause_path_index(
			c->arena, span_str("metadata.finalizers"), i),
		    f,
		    "name is neither a standard finalizer name nor is it "
		    "fully qualified");
}

static void
check_finalizers(
    struct causes *c, const struct resource *r, const struct node *finalizers)
{
	bool orphan = false, foreground = false;

	for (size_t i = 0; i < tree_count(finalizers); i++) {
		struct span f = tree_text(finalizers->items[i]);

		name_qualified(c, span_str("metadata.finalizers"), f, f);
		if (r->crd == NULL && f.n > 0 && !is_extension(r))
			check_finalizer_domain(c, f, i);
		orphan = orphan || span_is(f, "orphan");
		foreground = foreground || span_is(f, "foregroundDeletion");
	}
	if (orphan && foreground)
		cause_invalid(c, span_str("metadata.finalizers"), finalizers,
		    "finalizer orphan and foregroundDeletion cannot be both "
		    "set");
}

static void
check_managed(struct causes *c, const struct node *entries)
{
	struct span at = span_str("metadata.managedFields");

	for (size_t i = 0; i < tree_count(entries); i++) {
		const struct node *e = entries->items[i];
		struct span field = cause_path_index(c->arena, at, i);
		struct span operation = tree_text(tree_get(e, "operation"));
		struct span type = tree_text(tree_get(e, "fieldsType"));

		if (!span_is(operation, "Apply") &&
		    !span_is(operation, "Update"))
			cause_invalid_text(c,
			    cause_path_field(
				c->arena, field, span_str("operation")),
			    operation, "must be `Apply` or `Update`");
		if (type.n > 0 && !span_is(type, "FieldsV1"))
			cause_invalid_text(c,
			    cause_path_field(
				c->arena, field, span_str("fieldsType")),
			    type, "must be `FieldsV1`");
		if (tree_text(tree_get(e, "manager")).n > 128)
			cause_too_long(c,
			    cause_path_field(
				c->arena, field, span_str("manager")),
			    NULL, 128);
		if (tree_text(tree_get(e, "subresource")).n > 256)
			cause_too_long(c,
			    cause_path_field(
				c->arena, field, span_str("subresource")),
			    NULL, 256);
	}
}

static void
check_maps_and_owners(struct causes *c, const struct node *m)
{
	check_labels(c, tree_get(m, "labels"));
	objectmeta_check_annotations(
	    c, span_str("metadata.annotations"), tree_get(m, "annotations"));
	check_owners(c, tree_get(m, "ownerReferences"));
}

void
objectmeta_validate_named(struct causes *c, const struct resource *r,
    const struct node *object, enum name_rule rule)
{
	const struct node *m = tree_get(object, "metadata");
	struct span name = tree_text(tree_get(m, "name"));
	struct span prefix = tree_text(tree_get(m, "generateName"));
	struct span ns = tree_text(tree_get(m, "namespace"));
	int64_t generation;

	if (prefix.n > 0)
		name_check(
		    c, span_str("metadata.generateName"), prefix, rule, true);
	if (name.n == 0)
		cause_required(c, span_str("metadata.name"),
		    "name or generateName is required");
	else
		name_check(c, span_str("metadata.name"), name, rule, false);
	if (r->namespaced && ns.n == 0)
		cause_required(c, span_str("metadata.namespace"), "");
	else if (r->namespaced)
		name_check(
		    c, span_str("metadata.namespace"), ns, NAME_LABEL, false);
	else if (ns.n > 0)
		cause_forbidden(c, span_str("metadata.namespace"),
		    "not allowed on this type");
	if (tree_get_int(tree_get(m, "generation"), &generation) &&
	    generation < 0)
		cause_invalid(c, span_str("metadata.generation"),
		    tree_get(m, "generation"),
		    "must be greater than or equal to 0");
	check_maps_and_owners(c, m);
	check_finalizers(c, r, tree_get(m, "finalizers"));
	check_managed(c, tree_get(m, "managedFields"));
}

void
objectmeta_validate(
    struct causes *c, const struct resource *r, const struct node *object)
{
	objectmeta_validate_named(c, r, object, r->strategy->names);
}

static bool
has_text(const struct node *array, struct span text)
{
	for (size_t i = 0; i < tree_count(array); i++)
		if (span_eq(tree_text(array->items[i]), text))
			return true;
	return false;
}

/* Go's %#v of the sorted list of what is new. */
static void
check_no_new_finalizers(
    struct causes *c, const struct node *now, const struct node *before)
{
	struct span *extra =
	    arena_alloc(c->arena, (tree_count(now) + 1) * sizeof *extra);
	size_t n = 0;
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < tree_count(now); i++) {
		struct span f = tree_text(now->items[i]);
		size_t at = n;

		if (has_text(before, f))
			continue;
		while (at > 0 && span_cmp(extra[at - 1], f) > 0) {
			extra[at] = extra[at - 1];
			at--;
		}
		extra[at] = f;
		n++;
	}
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i == 0 ? "" : ", ");
		buf_addspan(&b, gotext_quote(c->arena, extra[i]));
	}
	cause_forbidden(c, span_str("metadata.finalizers"),
	    arena_printf(c->arena,
		"no new finalizers can be added if the object is being "
		"deleted, found new finalizers []string{%s}",
		buf_str(&b))
		.p);
	buf_release(&b);
}

static void
check_same(struct causes *c, const char *field, const struct node *live,
    const struct node *now)
{
	const struct node *x = tree_get(live, field), *y = tree_get(now, field);
	struct span at;

	if (tree_equal(x, y) || (tree_empty(x) && tree_empty(y)))
		return;
	at = cause_path_field(c->arena, span_str("metadata"), span_str(field));
	if (y == NULL && x->kind == NODE_STRING &&
	    strstr(field, "Timestamp") == NULL)
		cause_invalid_text(c, at, span_str(""), "field is immutable");
	else
		cause_invalid(c, at, y, "field is immutable");
}

void
objectmeta_validate_update(struct causes *c, const struct resource *r,
    const struct node *live, const struct node *object)
{
	static const char *const same[] = {"name", "namespace", "uid",
	    "creationTimestamp", "deletionTimestamp",
	    "deletionGracePeriodSeconds"};
	const struct node *m = tree_get(object, "metadata");
	const struct node *old = tree_get(live, "metadata");
	int64_t now = 0, before = 0;

	(void)r;
	if (tree_get(old, "deletionTimestamp") != NULL)
		check_no_new_finalizers(
		    c, tree_get(m, "finalizers"), tree_get(old, "finalizers"));
	if (tree_text(tree_get(m, "resourceVersion")).n == 0)
		cause_invalid_text(c, span_str("metadata.resourceVersion"),
		    span_str(""), "must be specified for an update");
	tree_get_int(tree_get(m, "generation"), &now);
	tree_get_int(tree_get(old, "generation"), &before);
	if (now < before)
		cause_invalid(c, span_str("metadata.generation"),
		    tree_int(c->arena, now), "must not be decremented");
	for (size_t i = 0; i < COUNT(same); i++)
		check_same(c, same[i], old, m);
	check_maps_and_owners(c, m);
	check_managed(c, tree_get(m, "managedFields"));
}
