/* Part of builtin/topics.h. Rules of a Pod's volumes and of resources. */
#include "builtin/topics.h"

#include "base/array.h"

enum { MODE_MAX = 0777 };

static void
check_mode(struct causes *c, const struct at *up, const struct node *object,
    const char *key)
{
	int64_t mode;

	if (tree_get_int(rule_given(object, key), &mode) &&
	    (mode < 0 || mode > MODE_MAX))
		rule_fail_int(c, AT(up, key), mode,
		    "must be a number between 0 and 0777 (octal), both "
		    "inclusive");
}

static bool
has_dotdot(struct span s)
{
	size_t start = 0;

	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '/')
			continue;
		if (span_is(span_make(s.p + start, i - start), ".."))
			return true;
		start = i + 1;
	}
	return false;
}

/* A relative path that does not lead upwards. */
static void
volume_local_path(struct causes *c, const struct at *at, struct span path)
{
	if (path.n > 0 && path.p[0] == '/')
		rule_fail_text(c, at, path, "must be a relative path");
	if (has_dotdot(path))
		rule_fail_text(c, at, path, "must not contain '..'");
	if (path.n > 2 && span_starts(path, "..") && path.p[2] != '/')
		rule_fail_text(c, at, path, "must not start with '..'");
}

static void
check_items(struct causes *c, const struct at *at, const struct node *items)
{
	const struct node *item;

	for (size_t i = 0; (item = builtin_item(items, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		struct span path = tree_text(rule_given(item, "path"));
		if (tree_empty(rule_given(item, "key")))
			rule_fail_required(c, AT(here, "key"), "");
		if (path.n == 0)
			rule_fail_required(c, AT(here, "path"), "");
		else if (path.p[0] == '/')
			rule_fail_text(c, AT(here, "path"), path,
			    "must be a relative path");
		if (has_dotdot(path))
			rule_fail_text(
			    c, AT(here, "path"), path, "must not contain '..'");
		else if (path.n > 1 && path.p[0] == '.' && path.p[1] == '.')
			rule_fail_text(c, AT(here, "path"), path,
			    "must not start with '..'");
		check_mode(c, here, item, "mode");
	}
}

static void
check_host_path(struct causes *c, const struct at *at, const struct node *n)
{
	struct span path = tree_text(rule_given(n, "path"));

	if (path.n == 0) {
		rule_fail_required(c, AT(at, "path"), "");
		return;
	}
	if (has_dotdot(path))
		rule_fail_text(
		    c, AT(at, "path"), path, "must not contain '..'");
	if (!rule_text_is_any(rule_given(n, "type"), "", "BlockDevice",
		"CharDevice", "Directory", "DirectoryOrCreate", "File",
		"FileOrCreate", "Socket", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "type"), rule_given(n, "type"),
		    "", "BlockDevice", "CharDevice", "Directory",
		    "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
		    (char *)NULL);
}

static void
check_volume_field(
    struct causes *c, const struct at *at, const struct node *ref)
{
	const struct node *path = rule_given(ref, "fieldPath");
	struct span s = tree_text(path);

	if (tree_empty(path))
		rule_fail_required(c, AT(at, "fieldPath"), "");
	else if (s.p[s.n - 1] != ']' &&
	    !rule_text_is_any(path, METADATA_PATHS, (char *)NULL)) {
		if (rule_text_is_any(path, FIELD_PATHS, (char *)NULL))
			rule_fail_unsupported(c, AT(at, "fieldPath"), path,
			    METADATA_PATHS, (char *)NULL);
		else
			rule_fail_text(c, AT(at, "fieldPath"), s,
			    rule_say(c,
				"error converting fieldPath: field label not "
				"supported: %.*s",
				SPAN_ARG(s)));
	}
}

/* The paths of its errors have no index, in the real server either. */
static void
check_downward(struct causes *c, const struct at *at, const struct node *n)
{
	const struct node *file, *field, *resource;

	check_mode(c, at, n, "defaultMode");
	for (size_t i = 0;
	     (file = builtin_item(rule_given(n, "items"), i)) != NULL; i++) {
		struct span path = tree_text(rule_given(file, "path"));
		field = rule_given(file, "fieldRef");
		resource = rule_given(file, "resourceFieldRef");
		if (path.n == 0)
			rule_fail_required(c, AT(at, "path"), "");
		volume_local_path(c, AT(at, "path"), path);
		if (field != NULL)
			check_volume_field(c, AT(at, "fieldRef"), field);
		else if (resource == NULL)
			rule_fail_required(c, at,
			    "one of fieldRef and resourceFieldRef is "
			    "required");
		else if (tree_empty(rule_given(resource, "containerName")))
			rule_fail_required(c,
			    AT(AT(at, "resourceFieldRef"), "containerName"),
			    "");
		else
			container_resource_ref(
			    c, AT(at, "resourceFieldRef"), resource);
	}
}

static void
check_projected(struct causes *c, const struct at *at, const struct node *n)
{
	static const char *const named[] = {"secret", "configMap"};
	const struct node *source, *part;

	check_mode(c, at, n, "defaultMode");
	for (size_t i = 0;
	     (source = builtin_item(rule_given(n, "sources"), i)) != NULL;
	     i++) {
		const struct at *here = AT_INDEX(AT(at, "sources"), i);
		for (size_t k = 0; k < 2; k++) {
			if ((part = rule_given(source, named[k])) == NULL)
				continue;
			if (tree_empty(rule_given(part, "name")))
				rule_fail_required(
				    c, AT(AT(here, named[k]), "name"), "");
			check_items(c, AT(AT(here, named[k]), "items"),
			    rule_given(part, "items"));
		}
		if ((part = rule_given(source, "downwardAPI")) != NULL)
			check_downward(c, AT(here, "downwardAPI"), part);
	}
}

static void
check_source(struct causes *c, const struct at *at, const char *type,
    const struct node *n)
{
	const struct at *here = AT(at, type);

	if (strcmp(type, "hostPath") == 0) {
		check_host_path(c, here, n);
	} else if (strcmp(type, "secret") == 0) {
		if (tree_empty(rule_given(n, "secretName")))
			rule_fail_required(c, AT(here, "secretName"), "");
		check_mode(c, here, n, "defaultMode");
		check_items(c, AT(here, "items"), rule_given(n, "items"));
	} else if (strcmp(type, "configMap") == 0) {
		if (tree_empty(rule_given(n, "name")))
			rule_fail_required(c, AT(here, "name"), "");
		check_mode(c, here, n, "defaultMode");
		check_items(c, AT(here, "items"), rule_given(n, "items"));
	} else if (strcmp(type, "persistentVolumeClaim") == 0) {
		if (tree_empty(rule_given(n, "claimName")))
			rule_fail_required(c, AT(here, "claimName"), "");
	} else if (strcmp(type, "nfs") == 0) {
		if (tree_empty(rule_given(n, "server")))
			rule_fail_required(c, AT(here, "server"), "");
		if (tree_empty(rule_given(n, "path")))
			rule_fail_required(c, AT(here, "path"), "");
		else if (tree_text(rule_given(n, "path")).p[0] != '/')
			rule_fail_invalid(c, AT(here, "path"),
			    rule_given(n, "path"), "must be an absolute path");
	} else if (strcmp(type, "csi") == 0) {
		if (tree_empty(rule_given(n, "driver")))
			rule_fail_required(c, AT(here, "driver"), "");
	} else if (strcmp(type, "emptyDir") == 0) {
		if (rule_is_negative(rule_given(n, "sizeLimit")))
			rule_fail_forbidden(c, AT(here, "sizeLimit"),
			    "SizeLimit field must be a valid resource "
			    "quantity");
	} else if (strcmp(type, "downwardAPI") == 0) {
		check_downward(c, here, n);
	} else if (strcmp(type, "projected") == 0) {
		check_projected(c, here, n);
	} else if (strcmp(type, "ephemeral") == 0) {
		if (rule_given(n, "volumeClaimTemplate") == NULL)
			rule_fail_required(
			    c, AT(here, "volumeClaimTemplate"), "");
		else
			storage_claim_spec(c,
			    AT(AT(here, "volumeClaimTemplate"), "spec"),
			    tree_path(n, "volumeClaimTemplate.spec"));
	}
}

static void
check_sources(struct causes *c, const struct at *at, const struct node *volume)
{
	static const char *const types[] = {"emptyDir", "hostPath", "gitRepo",
	    "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs",
	    "iscsi", "glusterfs", "flocker", "persistentVolumeClaim", "rbd",
	    "cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume",
	    "azureFile", "configMap", "vsphereVolume", "azureDisk", "storageos",
	    "photonPersistentDisk", "portworxVolume", "scaleIO", "projected",
	    "csi", "ephemeral", "image"};
	size_t sources = 0;
	const struct node *n;

	for (size_t i = 0; i < COUNT(types); i++) {
		if ((n = rule_given(volume, types[i])) == NULL)
			continue;
		if (sources++ > 0)
			rule_fail_forbidden(c, AT(at, types[i]),
			    "may not specify more than 1 volume type");
		else
			check_source(c, at, types[i], n);
	}
	if (sources == 0)
		rule_fail_required(c, at, "must specify a volume type");
}

void
volume_list(struct causes *c, const struct at *at, const struct node *volumes)
{
	const struct node *volume, *name;
	struct map names = MAP_INIT;

	for (size_t i = 0; (volume = builtin_item(volumes, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		name = rule_given(volume, "name");
		check_sources(c, here, volume);
		if (tree_empty(name))
			rule_fail_required(c, AT(here, "name"), "");
		else
			rule_dns_label(c, AT(here, "name"), tree_text(name));
		if (rule_seen_before(&names, tree_text(name)))
			rule_fail_duplicate(c, AT(here, "name"), name);
	}
	map_release(&names);
}

static void
check_resource_name(struct causes *c, const struct at *at, struct span s)
{
	static const char *const of_containers[] = {
	    "cpu", "memory", "ephemeral-storage"};
	static const char *const standard[] = {"storage", "requests.cpu",
	    "requests.memory", "requests.storage", "requests.ephemeral-storage",
	    "limits.cpu", "limits.memory", "limits.ephemeral-storage", "pods",
	    "resourcequotas", "services", "replicationcontrollers", "secrets",
	    "configmaps", "persistentvolumeclaims", "services.nodeports",
	    "services.loadbalancers"};
	bool known = false;
	size_t before = c->n;

	for (size_t i = 0; i < 3; i++)
		if (span_is(s, of_containers[i]))
			return;
	if (span_starts(s, "hugepages-"))
		return;
	rule_qualified_name(c, at, s);
	if (c->n > before || span_find(s, '/') != NULL)
		return;
	for (size_t i = 0; i < COUNT(standard); i++)
		known = known || span_is(s, standard[i]);
	if (!known)
		rule_fail_text(c, at, s,
		    "must be a standard resource type or fully qualified");
	rule_fail_text(c, at, s, "must be a standard resource for containers");
}

static bool
overcommit_allowed(struct span s)
{
	return !span_starts(s, "hugepages-") &&
	    (span_find(s, '/') == NULL ||
		memmem(s.p, s.n, "kubernetes.io/", 14) != NULL);
}

static void
volume_quantities(
    struct causes *c, const struct at *at, const struct node *list)
{
	struct quantity q;

	for (size_t i = 0; i < tree_count(list); i++) {
		struct span key = list->members[i].key;
		const struct at *here = AT_KEY(at, key);
		check_resource_name(c, here, key);
		if (!rule_quantity_get(list->members[i].value, &q))
			continue;
		if (quantity_sign(&q) < 0)
			rule_fail_invalid(c, here, list->members[i].value,
			    "must be greater than or equal to 0");
		else if (!overcommit_allowed(key) && q.scale < 0)
			rule_fail_invalid(c, here, list->members[i].value,
			    "must be an integer");
	}
}

void
volume_resources(
    struct causes *c, const struct at *at, const struct node *resources)
{
	const struct node *limits = rule_given(resources, "limits");
	const struct node *requests = rule_given(resources, "requests");

	volume_quantities(c, AT(at, "limits"), limits);
	volume_quantities(c, AT(at, "requests"), requests);
	for (size_t i = 0; i < tree_count(requests); i++) {
		struct span key = requests->members[i].key;
		const struct node *request = requests->members[i].value;
		const struct node *limit = tree_get_span(limits, key);
		int cmp = limit == NULL ? 0 : rule_quantity_cmp(request, limit);
		if (limit != NULL && cmp != 0 && !overcommit_allowed(key))
			rule_fail_invalid(c, AT(at, "requests"), request,
			    rule_say(c, "must be equal to %.*s limit of %.*s",
				SPAN_ARG(key), SPAN_ARG(tree_text(limit))));
		else if (limit != NULL && cmp > 0)
			rule_fail_invalid(c, AT(at, "requests"), request,
			    rule_say(c,
				"must be less than or equal to %.*s limit of "
				"%.*s",
				SPAN_ARG(key), SPAN_ARG(tree_text(limit))));
		else if (limit == NULL && !overcommit_allowed(key))
			rule_fail_required(c, AT(at, "limits"),
			    "Limit must be set for non overcommitable "
			    "resources");
	}
}
