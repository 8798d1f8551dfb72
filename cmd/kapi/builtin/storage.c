/* Part of builtin/topics.h. Claims, volumes, storage classes. */
#include "builtin/topics.h"
#include "type/objectmeta.h"

void
storage_claim_spec_default(struct arena *a, struct node *spec)
{
	builtin_default_text(a, spec, "volumeMode", "Filesystem");
	builtin_default_object(a, spec, "resources");
}

/* A source of data is a claim or a snapshot; anything else is dropped. */
static void
drop_data_source(struct node *spec)
{
	const struct node *ref = rule_given(spec, "dataSource");
	const struct node *kind = rule_given(ref, "kind");
	const struct node *group = rule_given(ref, "apiGroup");

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
	ref = rule_given(spec, "dataSource");
	if (ref != NULL && rule_given(spec, "dataSourceRef") == NULL)
		tree_put(a, spec, "dataSourceRef", tree_copy(a, ref));
	ref = rule_given(spec, "dataSourceRef");
	if (ref != NULL && rule_given(spec, "dataSource") == NULL &&
	    tree_empty(rule_given(ref, "namespace")))
		tree_put(a, spec, "dataSource", tree_copy(a, ref));
}

void
storage_claim_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	storage_claim_spec_default(a, spec);
	builtin_default_text(
	    a, builtin_default_object(a, object, "status"), "phase", "Pending");
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
		if (!tree_text_is(
			rule_given(tree_path(n, "metadata.annotations"),
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
storage_claim_prepare(const struct change_of *x, struct node *object)
{
	struct node *status, *spec = rule_given(object, "spec");
	struct span class;

	if (x->live != NULL || !tree_is(spec, NODE_OBJECT))
		return;
	level_data_sources(x->arena, spec);
	status = tree_object(x->arena);
	tree_put(x->arena, status, "phase", tree_str(x->arena, "Pending"));
	tree_put(x->arena, object, "status", status);
	if (rule_given(spec, "storageClassName") == NULL &&
	    rule_given(tree_path(object, "metadata.annotations"),
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
		rule_fail_required(c, at, "at least 1 access mode is required");
	for (size_t i = 0; (mode = builtin_item(modes, i)) != NULL; i++) {
		if (tree_text_is(mode, "ReadWriteOncePod"))
			alone = true;
		else if (rule_text_is_any(mode, "ReadOnlyMany", "ReadWriteMany",
			     "ReadWriteOnce", (char *)NULL))
			others = true;
		else
			rule_fail_unsupported(c, at, mode, "ReadOnlyMany",
			    "ReadWriteMany", "ReadWriteOnce",
			    "ReadWriteOncePod", (char *)NULL);
	}
	if (alone && others)
		rule_fail_forbidden(c, at,
		    "may not use ReadWriteOncePod with other access modes");
}

static void
check_data_source(struct causes *c, const struct at *at, const struct node *n)
{
	const struct node *group = rule_given(n, "apiGroup");
	const struct node *kind = rule_given(n, "kind");

	if (n == NULL)
		return;
	if (tree_empty(rule_given(n, "name")))
		rule_fail_required(c, AT(at, "name"), "");
	if (tree_empty(kind))
		rule_fail_required(c, AT(at, "kind"), "");
	if (tree_empty(group) && !tree_text_is(kind, "PersistentVolumeClaim"))
		rule_fail_text(c, at, tree_text(kind),
		    "must be 'PersistentVolumeClaim' when referencing the "
		    "default apiGroup");
	if (!tree_empty(group))
		rule_dns_subdomain(c, AT(at, "apiGroup"), tree_text(group));
}

void
storage_claim_spec(
    struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *size = tree_path(spec, "resources.requests.storage");
	const struct node *class = rule_given(spec, "storageClassName");
	const struct node *mode = rule_given(spec, "volumeMode");
	const struct at *here =
	    AT_KEY(AT(at, "resources"), span_str("storage"));
	struct quantity bytes;

	check_access_modes(
	    c, AT(at, "accessModes"), rule_given(spec, "accessModes"));
	rule_selector(c, AT(at, "selector"), rule_given(spec, "selector"));
	if (size == NULL)
		rule_fail_required(c, here, "");
	else if (!rule_quantity_get(size, &bytes) || quantity_sign(&bytes) <= 0)
		rule_fail_invalid(c, here, size, "must be greater than zero");
	if (!tree_empty(class))
		rule_dns_subdomain(
		    c, AT(at, "storageClassName"), tree_text(class));
	if (mode != NULL &&
	    !rule_text_is_any(mode, "Block", "Filesystem", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "volumeMode"), mode, "Block",
		    "Filesystem", (char *)NULL);
	check_data_source(
	    c, AT(at, "dataSource"), rule_given(spec, "dataSource"));
	check_data_source(
	    c, AT(at, "dataSourceRef"), rule_given(spec, "dataSourceRef"));
}

static void
check_claim_update(
    struct causes *c, const struct node *live, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *was = rule_given(live, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *size = tree_path(spec, "resources.requests.storage");
	struct node *copy = tree_copy(c->arena, spec), *requests;
	bool bound = rule_text_is_any(
	    tree_path(live, "status.phase"), "Bound", (char *)NULL);

	if (tree_empty(rule_given(was, "volumeName")))
		builtin_keep_member(c->arena, was, copy, "volumeName");
	if (rule_given(was, "storageClassName") == NULL && !bound)
		builtin_keep_member(c->arena, was, copy, "storageClassName");
	requests = tree_path(copy, "resources.requests");
	if (bound && requests != NULL) {
		builtin_keep_member(c->arena,
		    tree_path(was, "resources.requests"), requests, "storage");
		builtin_keep_member(
		    c->arena, was, copy, "volumeAttributesClassName");
	}
	/* The real server appends a diff in Go's words. */
	if (!tree_equal(copy, was))
		rule_fail_forbidden(c, at,
		    "spec is immutable after creation except "
		    "resources.requests and volumeAttributesClassName for "
		    "bound claims\n");
	if (rule_quantity_cmp(
		size, tree_path(was, "resources.requests.storage")) < 0 &&
	    rule_quantity_cmp(
		size, tree_path(live, "status.capacity.storage")) <= 0)
		rule_fail_forbidden(c,
		    AT(AT(AT(at, "resources"), "requests"), "storage"),
		    "field can not be less than status.capacity");
	if (!builtin_same_member(was, spec, "volumeMode"))
		rule_fail_invalid(c, AT(NULL, "volumeMode"),
		    rule_given(spec, "volumeMode"), "field is immutable");
}

void
storage_claim_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	storage_claim_spec(c, AT(NULL, "spec"), rule_given(object, "spec"));
	if (x->live != NULL)
		check_claim_update(c, x->live, object);
}

void
storage_volume_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec"), *path;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	builtin_default_text(
	    a, spec, "persistentVolumeReclaimPolicy", "Retain");
	builtin_default_text(a, spec, "volumeMode", "Filesystem");
	path = rule_given(spec, "hostPath");
	if (tree_is(path, NODE_OBJECT) && rule_given(path, "type") == NULL)
		tree_put(a, path, "type", tree_str(a, ""));
	builtin_default_text(
	    a, builtin_default_object(a, object, "status"), "phase", "Pending");
}

void
storage_volume_prepare(const struct change_of *x, struct node *object)
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
storage_storageclass_default(struct arena *a, struct node *object)
{
	builtin_default_text(a, object, "reclaimPolicy", "Delete");
	builtin_default_text(a, object, "volumeBindingMode", "Immediate");
}

void
storage_storageclass_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const fixed[] = {
	    "parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"};

	if (x->live != NULL) {
		for (size_t i = 0; i < 4; i++)
			rule_immutable(c, NULL, x->live, object, fixed[i]);
		return;
	}
	if (tree_empty(rule_given(object, "provisioner")))
		rule_fail_required(c, AT(NULL, "provisioner"), "");
	check_enum(c, NULL, object, "reclaimPolicy", "Delete", "Retain");
}

void
storage_csidriver_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *modes;

	builtin_default_bool(a, spec, "attachRequired", true);
	builtin_default_bool(a, spec, "podInfoOnMount", false);
	builtin_default_bool(a, spec, "storageCapacity", false);
	builtin_default_text(
	    a, spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
	if (tree_count(rule_given(spec, "volumeLifecycleModes")) == 0) {
		modes = tree_array(a);
		tree_append(a, modes, tree_str(a, "Persistent"));
		tree_put(a, spec, "volumeLifecycleModes", modes);
	}
	builtin_default_bool(a, spec, "requiresRepublish", false);
	builtin_default_bool(a, spec, "seLinuxMount", false);
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
storage_limitrange_default(struct arena *a, struct node *object)
{
	struct node *item, *limit, *request;

	for (size_t i = 0;
	     (item = builtin_item(tree_path(object, "spec.limits"), i)) != NULL;
	     i++) {
		if (!tree_text_is(rule_given(item, "type"), "Container"))
			continue;
		limit = builtin_default_object(a, item, "default");
		request = builtin_default_object(a, item, "defaultRequest");
		fill_in(a, limit, rule_given(item, "max"));
		fill_in(a, request, limit);
		fill_in(a, request, rule_given(item, "min"));
	}
}
