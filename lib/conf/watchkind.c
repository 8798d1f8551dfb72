#include "conf/watchkind.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/namespaces.h"
#include "conf/selector.h"
#include "json/fieldpath.h"
#include "value/dnsname.h"
#include "value/objref.h"

void
watchkind_init(struct watch_kind *k)
{
	textlist_init(&k->namespaces);
	textlist_init(&k->fields);
	textlist_init(&k->redact);
	textlist_init(&k->map_fields);
	textlist_init(&k->map_namespace_fields);
}

/* The kinds that every API server serves outside namespaces. */
static bool
is_cluster_kind(const struct watch_kind *k)
{
	static const char *const kinds[] = {"/Namespace", "/Node",
	    "/PersistentVolume",
	    "apiextensions.k8s.io/CustomResourceDefinition",
	    "apiregistration.k8s.io/APIService",
	    "admissionregistration.k8s.io/MutatingWebhookConfiguration",
	    "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
	    "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
	    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
	    "certificates.k8s.io/CertificateSigningRequest",
	    "flowcontrol.apiserver.k8s.io/FlowSchema",
	    "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
	    "networking.k8s.io/IngressClass", "node.k8s.io/RuntimeClass",
	    "rbac.authorization.k8s.io/ClusterRole",
	    "rbac.authorization.k8s.io/ClusterRoleBinding",
	    "scheduling.k8s.io/PriorityClass", "storage.k8s.io/CSIDriver",
	    "storage.k8s.io/CSINode", "storage.k8s.io/StorageClass",
	    "storage.k8s.io/VolumeAttachment", NULL};

	for (size_t i = 0; kinds[i] != NULL; i++) {
		size_t n = strlen(k->group);

		if (strncmp(kinds[i], k->group, n) == 0 && kinds[i][n] == '/' &&
		    strcmp(kinds[i] + n + 1, k->kind) == 0)
			return true;
	}
	return false;
}

/* The texts are paths into an object. */
static int
check_paths(struct conf *c, const struct yaml *y, const char *key,
    const struct textlist *paths)
{
	struct err err = ERR_INIT;

	for (size_t i = 0; i < paths->count; i++)
		if (fieldpath_check(paths->items[i], &err) != 0)
			return conf_fail(
			    c, y->line, "%s: %s", key, err.message);
	return 0;
}

static int
load_paths(
    struct conf *c, const struct yaml *y, const char *key, struct textlist *out)
{
	return conf_list(c, y, key, out) != 0 ? -1
					      : check_paths(c, y, key, out);
}

static int
load_scope(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	static const char *const choices[] = {"Namespaced", "Cluster", NULL};
	const struct yaml *scope = yaml_get(y, "scope");
	int choice;

	k->scope = is_cluster_kind(k) ? WATCH_CLUSTER : WATCH_NAMESPACED;
	if (scope == NULL)
		return 0;
	if (conf_choice(c, scope, "scope", choices, &choice) != 0)
		return -1;
	k->scope = choice == 0 ? WATCH_NAMESPACED : WATCH_CLUSTER;
	return 0;
}

/* A key that may be missing. refused: where it is allowed, if not here. */
static int
load_flag(struct conf *c, const struct yaml *y, const char *key,
    const char *refused, bool *out)
{
	const struct yaml *v = yaml_get(y, key);

	if (v == NULL)
		return 0;
	if (refused != NULL)
		return conf_fail(
		    c, v->line, "%s is allowed only %s", key, refused);
	return conf_bool(c, v, key, out);
}

/* namespaceSelector. The labels of a Namespace are judged here, too, so every
 * requirement must be readable. */
static int
load_namespace_selector(
    struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	char *text;

	if (k->scope == WATCH_CLUSTER)
		return conf_fail(c, y->line,
		    "namespaceSelector: a %s is in no namespace; leave it out",
		    k->kind);
	text = selector_text(y, c->path, c->err);
	if (text == NULL)
		return -1;
	if (*text != '\0' && selector_is_clear(text)) {
		k->namespace_selector = text;
		return 0;
	}
	if (*text != '\0')
		conf_fail(c, y->line,
		    "namespaceSelector must be like a=b, a!=b, a in (b,c), a "
		    "notin (b,c), a or !a, with commas between, not \"%s\"",
		    text);
	else
		conf_fail(c, y->line,
		    "namespaceSelector is empty: leave it out, to select all "
		    "namespaces");
	free(text);
	return -1;
}

/* The keys that primaries, dependents and related kinds share. */
int
watchkind_common(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	const struct yaml *v;

	k->line = y->line;
	if (load_scope(c, y, k) != 0)
		return -1;
	if ((v = yaml_get(y, "selector")) != NULL) {
		k->selector = selector_text(v, c->path, c->err);
		if (k->selector == NULL)
			return -1;
		if (*k->selector == '\0') {
			free(k->selector);
			k->selector = NULL;
		}
	}
	if ((v = yaml_get(y, "namespaceSelector")) != NULL &&
	    load_namespace_selector(c, v, k) != 0)
		return -1;
	if (load_flag(c, y, "optional", NULL, &k->optional) != 0)
		return -1;
	if ((v = yaml_get(y, "redact")) != NULL &&
	    load_paths(c, v, "redact", &k->redact) != 0)
		return -1;
	return 0;
}

/* A path, or a list of them, into the primary. */
static int
load_primary_paths(
    struct conf *c, const struct yaml *y, const char *key, struct textlist *out)
{
	const char *text;

	if (y->type == YAML_SEQUENCE) {
		if (conf_list(c, y, key, out) != 0)
			return -1;
	} else {
		if (conf_text(c, y, key, &text) != 0)
			return -1;
		textlist_split(out, text);
	}
	if (out->count == 0)
		return conf_fail(c, y->line, "%s is empty", key);
	return check_paths(c, y, key, out);
}

/* The paths to the namespaces, one for each that leads to names. */
static int
load_namespace_fields(
    struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	static const char key[] = "map.namespaceField";
	struct textlist *paths = &k->map_namespace_fields;
	struct err err = ERR_INIT;

	if (k->map_namespace != NULL)
		return conf_fail(c, y->line,
		    "map has namespace or namespaceField, not both");
	if (k->scope == WATCH_CLUSTER)
		return conf_fail(c, y->line,
		    "%s: a %s is in no namespace; leave it out", key, k->kind);
	if (load_primary_paths(c, y, key, paths) != 0)
		return -1;
	if (paths->count != k->map_fields.count)
		return conf_fail(c, y->line,
		    "%s needs one path for each of map.field: it has %zu, "
		    "and map.field %zu",
		    key, paths->count, k->map_fields.count);
	for (size_t i = 0; i < paths->count; i++)
		if (fieldpath_check_beside(
			k->map_fields.items[i], paths->items[i], &err) != 0)
			return conf_fail(
			    c, y->line, "%s: %s", key, err.message);
	return 0;
}

static int
fail_map(struct conf *c, const struct yaml *y)
{
	return conf_fail(c, y->line,
	    "map must be owner, {label: KEY}, {field: PATH} or {jq: EXPR}");
}

static int
load_map(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	static const char *const allowed[] = {
	    "label", "field", "namespace", "namespaceField", "jq", NULL};
	const struct yaml *label, *field, *jq, *ns, *ns_field;
	struct err err = ERR_INIT;

	if (y->type == YAML_SCALAR) {
		if (strcmp(y->text, "owner") != 0)
			return fail_map(c, y);
		k->map = WATCH_MAP_MEMBER;
		return 0;
	}
	if (conf_keys(c, y, "map", allowed) != 0)
		return -1;
	label = yaml_get(y, "label");
	field = yaml_get(y, "field");
	jq = yaml_get(y, "jq");
	ns = yaml_get(y, "namespace");
	ns_field = yaml_get(y, "namespaceField");
	if ((label != NULL) + (field != NULL) + (jq != NULL) != 1 ||
	    (jq != NULL && ns != NULL))
		return fail_map(c, y);
	if (ns_field != NULL && field == NULL)
		return conf_fail(c, ns_field->line,
		    "map.namespaceField is allowed only with field");
	if (ns != NULL &&
	    conf_string(c, ns, "map.namespace", &k->map_namespace) != 0)
		return -1;
	if (ns != NULL &&
	    namespaces_name("map.namespace", k->map_namespace, &err) != 0)
		return conf_fail(c, ns->line, "%s", err.message);
	if (field != NULL) {
		k->map = WATCH_MAP_FIELD;
		if (load_primary_paths(c, field, "map.field", &k->map_fields) !=
		    0)
			return -1;
		return ns_field == NULL ? 0
					: load_namespace_fields(c, ns_field, k);
	}
	k->map = jq != NULL ? WATCH_MAP_JQ : WATCH_MAP_LABEL;
	k->map_line = jq != NULL ? jq->line : label->line;
	return jq != NULL ? conf_string(c, jq, "map.jq", &k->map_arg)
			  : conf_string(c, label, "map.label", &k->map_arg);
}

/* Objects that are named have to be somewhere, and to be watched there. */
static int
check_map_field(struct conf *c, const struct yaml *y, enum watchkind_role role,
    const struct watch_kind *primary, const struct watch_kind *k)
{
	const char *ns = k->map_namespace;

	if (k->map != WATCH_MAP_FIELD)
		return 0;
	if (role != WATCHKIND_RELATED)
		return conf_fail(c, y->line,
		    "map.field is for related kinds: put %s there", k->kind);
	if (k->scope == WATCH_CLUSTER || k->map_namespace_fields.count > 0)
		return 0;
	if (ns == NULL && primary->scope == WATCH_CLUSTER)
		return conf_fail(c, y->line,
		    "map.field needs namespace or namespaceField beside it: a "
		    "%s has none",
		    primary->kind);
	if (ns != NULL && k->namespaces.count > 0 &&
	    !textlist_has(&k->namespaces, ns, strlen(ns)))
		return conf_fail(c, y->line,
		    "map.namespace is %s, but the namespaces of this kind do "
		    "not have it",
		    ns);
	return 0;
}

static int
load_prune(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	static const char *const choices[] = {"last", "always", NULL};
	int choice;

	if (!k->manage)
		return conf_fail(
		    c, y->line, "prune is allowed only with manage: true");
	if (conf_choice(c, y, "prune", choices, &choice) != 0)
		return -1;
	k->prune_always = choice == 1;
	return 0;
}

/* Refuses writes that need more of an object than the kind sees. */
static int
check_writes(struct conf *c, const struct yaml *y, const struct watch_kind *k)
{
	/* Fields of a part, or of an object that leaves the selection, would be
	 * neither compared nor given back. */
	if (k->patches && (k->fields.count > 0 || k->selector != NULL))
		return conf_fail(c, y->line, "patch is not allowed with %s",
		    k->selector != NULL ? "selector" : "fields");
	/* Deleting a definition deletes all objects of its kind, which its spec
	 * names. */
	if (k->deletes && k->fields.count > 0 &&
	    strcmp(k->group, "apiextensions.k8s.io") == 0 &&
	    strcmp(k->kind, "CustomResourceDefinition") == 0)
		return conf_fail(c, y->line,
		    "delete of a %s is not allowed with fields: without its "
		    "spec the objects that would be deleted with it are not "
		    "known; leave fields out",
		    k->kind);
	return 0;
}

static int
load_fields(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	if (k->manage)
		return conf_fail(
		    c, y->line, "fields are allowed only with manage: false");
	if (load_paths(c, y, "fields", &k->fields) != 0)
		return -1;
	k->metadata_only = k->fields.count > 0;
	for (size_t i = 0; i < k->fields.count; i++)
		if (strncmp(k->fields.items[i], "metadata.", 9) != 0 &&
		    strcmp(k->fields.items[i], "metadata") != 0)
			k->metadata_only = false;
	return 0;
}

int
watchkind_namespaces(struct conf *c, const struct yaml *y, struct textlist *out)
{
	struct err err = ERR_INIT;

	if (conf_check_list(c, y, "namespaces") != 0)
		return -1;
	for (size_t i = 0; i < y->count; i++) {
		const struct yaml *v = y->values[i];
		const char *text = "";

		if (conf_text(c, v, "namespaces", &text) != 0)
			return -1;
		if (namespaces_parse(out, "namespaces", text, &err) != 0)
			return conf_fail(c, v->line, "%s", err.message);
	}
	return 0;
}

static int
load_api_version(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	struct span group, version;

	if (conf_member(c, y, "apiVersion", &k->api_version) != 0)
		return -1;
	objref_split(span_str(k->api_version), &group, &version);
	if ((group.n > 0 && !dnsname_is_subdomain(group)) ||
	    !dnsname_is_label(version))
		return conf_fail(c, yaml_get(y, "apiVersion")->line,
		    "apiVersion must be VERSION or GROUP/VERSION, such as v1 "
		    "or apps/v1, not \"%s\"",
		    k->api_version);
	k->group = mem_dup(group.p, group.n);
	k->version = mem_dup(version.p, version.n);
	return conf_member(c, y, "kind", &k->kind);
}

int
watchkind_below(struct conf *c, const struct yaml *y, enum watchkind_role role,
    const struct watch_kind *primary, struct watch_kind *k)
{
	enum { DEPENDENT_ONLY = 3 }; /* keys at the front of allowed */
	static const char *const allowed[] = {"manage", "prune", "retain",
	    "delete", "patch", "apiVersion", "kind", "map", "fields",
	    "namespaces", "namespaceSelector", "scope", "optional", "selector",
	    "redact", NULL};
	bool related = role == WATCHKIND_RELATED;
	const char *not_related = related ? NULL : "for related kinds";
	const struct yaml *v;

	for (int i = 0; related && i < DEPENDENT_ONLY; i++)
		if ((v = yaml_get(y, allowed[i])) != NULL)
			return conf_fail(c, v->line,
			    "%s is allowed only for dependents", allowed[i]);
	if (conf_keys(c, y,
		related ? "a kind of related" : "a kind of dependents",
		related ? allowed + DEPENDENT_ONLY : allowed) != 0 ||
	    load_api_version(c, y, k) != 0 || watchkind_common(c, y, k) != 0)
		return -1;
	k->map = related ? WATCH_MAP_ALL : WATCH_MAP_MEMBER;
	if (load_flag(c, y, "manage", NULL, &k->manage) != 0)
		return -1;
	if ((v = yaml_get(y, "prune")) != NULL && load_prune(c, v, k) != 0)
		return -1;
	if (load_flag(c, y, "retain", k->manage ? NULL : "with manage: true",
		&k->retain) != 0 ||
	    load_flag(c, y, "delete", not_related, &k->deletes) != 0 ||
	    load_flag(c, y, "patch", not_related, &k->patches) != 0)
		return -1;
	if ((v = yaml_get(y, "map")) != NULL && load_map(c, v, k) != 0)
		return -1;
	if ((v = yaml_get(y, "fields")) != NULL && load_fields(c, v, k) != 0)
		return -1;
	if (check_writes(c, y, k) != 0)
		return -1;
	if ((v = yaml_get(y, "namespaces")) != NULL) {
		if (watchkind_namespaces(c, v, &k->namespaces) != 0)
			return -1;
	} else if (k->map == WATCH_MAP_FIELD && k->map_namespace != NULL) {
		textlist_add(
		    &k->namespaces, k->map_namespace, strlen(k->map_namespace));
	} else if (k->map_namespace_fields.count == 0 &&
	    k->namespace_selector == NULL) {
		textlist_copy(&k->namespaces, &primary->namespaces);
		if (k->scope == WATCH_NAMESPACED)
			k->namespace_selector =
			    mem_strdup(primary->namespace_selector);
		k->follows = true;
	}
	v = yaml_get(y, "map");
	return v == NULL ? 0 : check_map_field(c, v, role, primary, k);
}

void
watchkind_release(struct watch_kind *k)
{
	free(k->api_version);
	free(k->group);
	free(k->version);
	free(k->kind);
	free(k->selector);
	free(k->namespace_selector);
	free(k->map_arg);
	free(k->map_namespace);
	textlist_release(&k->namespaces);
	textlist_release(&k->fields);
	textlist_release(&k->redact);
	textlist_release(&k->map_fields);
	textlist_release(&k->map_namespace_fields);
}

bool
watchkind_is(const struct watch_kind *a, const struct watch_kind *b)
{
	return strcmp(a->group, b->group) == 0 && strcmp(a->kind, b->kind) == 0;
}

int
watchkind_fail_duplicate(struct conf *c, const struct watch_kind *k)
{
	struct buf name = BUF_INIT;

	watch_kind_name(k, &name);
	conf_fail(c, k->line, "duplicate kind %s", buf_str(&name));
	buf_release(&name);
	return -1;
}
