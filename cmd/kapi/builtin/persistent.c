/*
 * Part of builtin/topics.h. Rules of PersistentVolumes. Source:
 * ValidatePersistentVolumeSpec.
 */
#include "builtin/topics.h"

#include "base/array.h"

static const char *const sources[] = {"hostPath", "gcePersistentDisk",
    "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte",
    "cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile",
    "vsphereVolume", "azureDisk", "photonPersistentDisk", "portworxVolume",
    "scaleIO", "local", "storageos", "csi"};
enum { SOURCES = COUNT(sources) };

static void
check_capacity(
    struct causes *c, const struct at *up, const struct node *capacity)
{
	const struct at *at = AT(up, "capacity");
	const struct node *size = rule_given(capacity, "storage");
	struct quantity bytes;

	if (tree_count(capacity) == 0)
		rule_fail_required(c, at, "");
	if (size == NULL || tree_count(capacity) > 1)
		rule_fail_unsupported(c, at,
		    capacity != NULL ? capacity : tree_null(c->arena),
		    "storage", (char *)NULL);
	for (size_t i = 0; i < tree_count(capacity); i++) {
		const struct node *n = capacity->members[i].value;
		const struct at *here = AT_KEY(at, capacity->members[i].key);
		if (!rule_quantity_get(n, &bytes))
			continue;
		if (quantity_sign(&bytes) < 0)
			rule_fail_int(c, here, quantity_integer(&bytes),
			    "must be a valid resource quantity");
		if (quantity_sign(&bytes) <= 0)
			rule_fail_invalid(
			    c, here, n, "must be greater than zero");
	}
}

static void
check_modes(struct causes *c, const struct at *at, const struct node *modes)
{
	const struct node *mode;

	if (tree_count(modes) == 0)
		rule_fail_required(c, at, "");
	for (size_t i = 0; (mode = builtin_item(modes, i)) != NULL; i++)
		if (!rule_text_is_any(mode, "ReadOnlyMany", "ReadWriteMany",
			"ReadWriteOnce", "ReadWriteOncePod", (char *)NULL))
			rule_fail_unsupported(c, at, mode, "ReadOnlyMany",
			    "ReadWriteMany", "ReadWriteOnce",
			    "ReadWriteOncePod", (char *)NULL);
}

static void
require(struct causes *c, const struct at *at, const struct node *object,
    const char *key)
{
	if (tree_empty(rule_given(object, key)))
		rule_fail_required(c, AT(at, key), "");
}

static void
check_one(struct causes *c, const struct at *up, const char *type,
    const struct node *n, const struct node *spec)
{
	const struct at *at = AT(up, type);

	if (strcmp(type, "hostPath") == 0) {
		require(c, at, n, "path");
	} else if (strcmp(type, "nfs") == 0) {
		require(c, at, n, "server");
		require(c, at, n, "path");
	} else if (strcmp(type, "csi") == 0) {
		require(c, at, n, "driver");
		require(c, at, n, "volumeHandle");
	} else if (strcmp(type, "local") == 0) {
		require(c, at, n, "path");
		if (rule_given(spec, "nodeAffinity") == NULL)
			rule_fail_required(c, AT(up, "nodeAffinity"),
			    "Local volume requires node affinity");
	}
}

static void
check_source_of(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *path = tree_path(spec, "hostPath.path");
	size_t found = 0;

	for (size_t i = 0; i < SOURCES; i++) {
		const struct node *n = rule_given(spec, sources[i]);
		if (n == NULL)
			continue;
		if (found++ > 0)
			rule_fail_forbidden(c, AT(at, sources[i]),
			    "may not specify more than 1 volume type");
		else
			check_one(c, at, sources[i], n, spec);
	}
	if (found == 0)
		rule_fail_required(c, at, "must specify a volume type");
	if (tree_text_is(path, "/") &&
	    tree_text_is(
		rule_given(spec, "persistentVolumeReclaimPolicy"), "Recycle"))
		rule_fail_forbidden(c, AT(at, "persistentVolumeReclaimPolicy"),
		    "may not be 'recycle' for a hostPath mount of '/'");
}

static void
check_volume_update(
    struct causes *c, const struct node *was, const struct node *spec)
{
	bool same = true;

	for (size_t i = 0; i < SOURCES; i++)
		same = same && builtin_same_member(was, spec, sources[i]);
	/* The real server appends a diff in Go's words. */
	if (!same)
		rule_fail_forbidden(c,
		    AT(AT(NULL, "spec"), "persistentvolumesource"),
		    "spec.persistentvolumesource is immutable after "
		    "creation\n");
	if (!builtin_same_member(was, spec, "volumeMode"))
		rule_fail_invalid(c, AT(NULL, "volumeMode"),
		    rule_given(spec, "volumeMode"), "field is immutable");
}

void
persistent_volume_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *class = rule_given(spec, "storageClassName");

	check_modes(c, AT(at, "accessModes"), rule_given(spec, "accessModes"));
	check_capacity(c, at, rule_given(spec, "capacity"));
	check_enum(c, at, spec, "persistentVolumeReclaimPolicy", "Delete",
	    "Recycle", "Retain");
	check_source_of(c, at, spec);
	if (!tree_empty(class))
		rule_dns_subdomain(
		    c, AT(at, "storageClassName"), tree_text(class));
	if (rule_given(spec, "volumeMode") != NULL)
		check_enum(c, at, spec, "volumeMode", "Block", "Filesystem");
	if (x->live != NULL)
		check_volume_update(c, rule_given(x->live, "spec"), spec);
}
