/* Claims, volumes, storage classes. */
#include "builtin/topics.h"
#include "type/objectmeta.h"

void
claim_spec_default(struct arena *a, struct node *spec)
{
	default_text(a, spec, "volumeMode", "Filesystem");
	default_object(a, spec, "resources");
}

/* A source of data is a claim or a snapshot; anything else is dropped. */
static void
drop_data_source(struct node *spec)
{
	const struct node *ref = given(spec, "dataSource");
	const struct node *kind = given(ref, "kind");
	const struct node *group = given(ref, "apiGroup");

	if (ref == NULL ||
	    (tree_text_is(kind, "PersistentVolumeClaim") &&
		tree_empty(group)) ||
	    (tree_text_is(kind, "VolumeSnapshot") &&
		tree_text_is(group, "snapshot.storage.k8s.io")))
		return;
	tree_remove(spec, "dataSource");
}

/* dataSource and dataSourceRef give each other. */
static void
level_data_sources(struct arena *a, struct node *spec)
{
	struct node *ref;

	drop_data_source(spec);
	ref = given(spec, "dataSource");
	if (ref != NULL && given(spec, "dataSourceRef") == NULL)
		tree_put(a, spec, "dataSourceRef", tree_copy(a, ref));
	ref = given(spec, "dataSourceRef");
	if (ref != NULL && given(spec, "dataSource") == NULL &&
	    tree_empty(given(ref, "namespace")))
		tree_put(a, spec, "dataSource", tree_copy(a, ref));
}

void
claim_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	claim_spec_default(a, spec);
	default_text(
	    a, default_object(a, object, "status"), "phase", "Pending");
}

#define IS_DEFAULT_CLASS "storageclass.kubernetes.io/is-default-class"

/* The class that a claim without one gets: the newest that says so. */
static struct span
default_class(const struct change_of *x)
{
	struct collection *all;
	struct stored *o = NULL;
	struct span after = SPAN_NONE, name = SPAN_NONE, born = SPAN_NONE;

	if (x->store == NULL)
		return SPAN_NONE;
	all = store_collection(
	    x->store, span_str("storage.k8s.io"), span_str("storageclasses"));
	while ((o = store_next(all, SPAN_NONE, after)) != NULL) {
		struct node *n = tree_parse(
		    x->arena, text_span(o->json), TREE_LIMITS, NULL, NULL);
		struct span since =
		    tree_path_text(n, "metadata.creationTimestamp");
		after = o->key;
		if (!tree_text_is(given(tree_path(n, "metadata.annotations"),
				      IS_DEFAULT_CLASS),
			"true"))
			continue;
		if (name.p == NULL || span_cmp(since, born) > 0) {
			name = arena_span(x->arena, o->name);
			born = arena_span(x->arena, since);
		}
	}
	return name;
}

void
claim_prepare(const struct change_of *x, struct node *object)
{
	struct node *status, *spec = given(object, "spec");
	struct span class;

	if (x->live != NULL || !tree_is(spec, NODE_OBJECT))
		return;
	level_data_sources(x->arena, spec);
	status = tree_object(x->arena);
	tree_put(x->arena, status, "phase", tree_str(x->arena, "Pending"));
	tree_put(x->arena, object, "status", status);
	if (given(spec, "storageClassName") == NULL &&
	    given(tree_path(object, "metadata.annotations"),
		"volume.beta.kubernetes.io/storage-class") == NULL) {
		class = default_class(x);
		if (class.p != NULL)
			tree_put(x->arena, spec, "storageClassName",
			    tree_string(x->arena, class));
	}
}

static void
check_access_modes(
    struct causes *c, const struct at *at, const struct node *modes)
{
	bool alone = false, others = false;
	const struct node *mode;

	if (tree_count(modes) == 0)
		fail_required(c, at, "at least 1 access mode is required");
	for (size_t i = 0; (mode = each_of(modes, i)) != NULL; i++) {
		if (tree_text_is(mode, "ReadWriteOncePod"))
			alone = true;
		else if (text_is_any(mode, "ReadOnlyMany", "ReadWriteMany",
			     "ReadWriteOnce", (char *)NULL))
			others = true;
		else
			fail_unsupported(c, at, mode, "ReadOnlyMany",
			    "ReadWriteMany", "ReadWriteOnce",
			    "ReadWriteOncePod", (char *)NULL);
	}
	if (alone && others)
		fail_forbidden(c, at,
		    "may not use ReadWriteOncePod with other access modes");
}

static void
check_data_source(struct causes *c, const struct at *at, const struct node *n)
{
	const struct node *group = given(n, "apiGroup");
	const struct node *kind = given(n, "kind");

	if (n == NULL)
		return;
	if (tree_empty(given(n, "name")))
		fail_required(c, AT(at, "name"), "");
	if (tree_empty(kind))
		fail_required(c, AT(at, "kind"), "");
	if (tree_empty(group) && !tree_text_is(kind, "PersistentVolumeClaim"))
		fail_text(c, at, tree_text(kind),
		    "must be 'PersistentVolumeClaim' when referencing the "
		    "default apiGroup");
	if (!tree_empty(group))
		check_dns_subdomain(c, AT(at, "apiGroup"), tree_text(group));
}

void
check_claim_spec(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *size = tree_path(spec, "resources.requests.storage");
	const struct node *class = given(spec, "storageClassName");
	const struct node *mode = given(spec, "volumeMode");
	const struct at *here =
	    AT_KEY(AT(at, "resources"), span_str("storage"));
	struct quantity bytes;

	check_access_modes(
	    c, AT(at, "accessModes"), given(spec, "accessModes"));
	check_selector(c, AT(at, "selector"), given(spec, "selector"));
	if (size == NULL)
		fail_required(c, here, "");
	else if (!amount_get(size, &bytes) || quantity_sign(&bytes) <= 0)
		fail_invalid(c, here, size, "must be greater than zero");
	if (!tree_empty(class))
		check_dns_subdomain(
		    c, AT(at, "storageClassName"), tree_text(class));
	if (mode != NULL &&
	    !text_is_any(mode, "Block", "Filesystem", (char *)NULL))
		fail_unsupported(c, AT(at, "volumeMode"), mode, "Block",
		    "Filesystem", (char *)NULL);
	check_data_source(c, AT(at, "dataSource"), given(spec, "dataSource"));
	check_data_source(
	    c, AT(at, "dataSourceRef"), given(spec, "dataSourceRef"));
}

static void
check_claim_update(
    struct causes *c, const struct node *live, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *was = given(live, "spec");
	const struct node *spec = given(object, "spec");
	const struct node *size = tree_path(spec, "resources.requests.storage");
	struct node *copy = tree_copy(c->arena, spec), *requests;
	bool bound =
	    text_is_any(tree_path(live, "status.phase"), "Bound", (char *)NULL);

	if (tree_empty(given(was, "volumeName")))
		keep_member(c->arena, was, copy, "volumeName");
	if (given(was, "storageClassName") == NULL && !bound)
		keep_member(c->arena, was, copy, "storageClassName");
	requests = tree_path(copy, "resources.requests");
	if (bound && requests != NULL) {
		keep_member(c->arena, tree_path(was, "resources.requests"),
		    requests, "storage");
		keep_member(c->arena, was, copy, "volumeAttributesClassName");
	}
	/* The real server appends a diff in Go's words. */
	if (!tree_equal(copy, was))
		fail_forbidden(c, at,
		    "spec is immutable after creation except "
		    "resources.requests and volumeAttributesClassName for "
		    "bound claims\n");
	if (amount_cmp(size, tree_path(was, "resources.requests.storage")) <
		0 &&
	    amount_cmp(size, tree_path(live, "status.capacity.storage")) <= 0)
		fail_forbidden(c,
		    AT(AT(AT(at, "resources"), "requests"), "storage"),
		    "field can not be less than status.capacity");
	if (!same_member(was, spec, "volumeMode"))
		fail_invalid(c, AT(NULL, "volumeMode"),
		    given(spec, "volumeMode"), "field is immutable");
}

void
claim_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	check_claim_spec(c, AT(NULL, "spec"), given(object, "spec"));
	if (x->live != NULL)
		check_claim_update(c, x->live, object);
}

void
volume_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec"), *path;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_text(a, spec, "persistentVolumeReclaimPolicy", "Retain");
	default_text(a, spec, "volumeMode", "Filesystem");
	path = given(spec, "hostPath");
	if (tree_is(path, NODE_OBJECT) && given(path, "type") == NULL)
		tree_put(a, path, "type", tree_str(a, ""));
	default_text(
	    a, default_object(a, object, "status"), "phase", "Pending");
}

void
volume_prepare(const struct change_of *x, struct node *object)
{
	struct node *status;

	if (x->live != NULL)
		return;
	status = tree_object(x->arena);
	tree_put(x->arena, status, "lastPhaseTransitionTime",
	    tree_string(x->arena, objectmeta_time_now(x->arena)));
	tree_put(x->arena, status, "phase", tree_str(x->arena, "Pending"));
	tree_put(x->arena, object, "status", status);
}

void
storageclass_default(struct arena *a, struct node *object)
{
	default_text(a, object, "reclaimPolicy", "Delete");
	default_text(a, object, "volumeBindingMode", "Immediate");
}

void
storageclass_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const fixed[] = {
	    "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"};

	if (x->live != NULL) {
		for (size_t i = 0; i < 4; i++)
			check_immutable(c, NULL, x->live, object, fixed[i]);
		return;
	}
	if (tree_empty(given(object, "provisioner")))
		fail_required(c, AT(NULL, "provisioner"), "");
	check_enum(c, NULL, object, "reclaimPolicy", "Delete", "Retain");
}

void
csidriver_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");
	struct node *modes;

	default_bool(a, spec, "attachRequired", true);
	default_bool(a, spec, "podInfoOnMount", false);
	default_bool(a, spec, "storageCapacity", false);
	default_text(a, spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
	if (tree_count(given(spec, "volumeLifecycleModes")) == 0) {
		modes = tree_array(a);
		tree_append(a, modes, tree_str(a, "Persistent"));
		tree_put(a, spec, "volumeLifecycleModes", modes);
	}
	default_bool(a, spec, "requiresRepublish", false);
	default_bool(a, spec, "seLinuxMount", false);
}

static void
fill_in(struct arena *a, struct node *into, const struct node *from)
{
	for (size_t i = 0; i < tree_count(from); i++)
		if (tree_get_span(into, from->members[i].key) == NULL)
			tree_set(a, into, from->members[i].key,
			    tree_copy(a, from->members[i].value));
}

void
limitrange_default(struct arena *a, struct node *object)
{
	struct node *item, *limit, *request;

	for (size_t i = 0;
	     (item = each_of(tree_path(object, "spec.limits"), i)) != NULL;
	     i++) {
		if (!tree_text_is(given(item, "type"), "Container"))
			continue;
		limit = default_object(a, item, "default");
		request = default_object(a, item, "defaultRequest");
		fill_in(a, limit, given(item, "max"));
		fill_in(a, request, limit);
		fill_in(a, request, given(item, "min"));
	}
}
