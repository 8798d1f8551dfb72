#include "conf/watchkind.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "conf/namespaces.h"
#include "conf/selector.h"
#include "value/objref.h"

void
watchkind_init(struct watch_kind *k)
{
	textlist_init(&k->namespaces);
	textlist_init(&k->fields);
	textlist_init(&k->redact);
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

static int
load_scope(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	const struct yaml *scope = yaml_get(y, "scope");
	const char *text = "";

	k->scope = is_cluster_kind(k) ? WATCH_CLUSTER : WATCH_NAMESPACED;
	if (scope == NULL)
		return 0;
	if (conf_text(c, scope, "scope", &text) != 0)
		return -1;
	if (strcmp(text, "Cluster") == 0)
		k->scope = WATCH_CLUSTER;
	else if (strcmp(text, "Namespaced") == 0)
		k->scope = WATCH_NAMESPACED;
	else
		return conf_fail(
		    c, scope->line, "scope must be Namespaced or Cluster");
	return 0;
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
	if ((v = yaml_get(y, "optional")) != NULL &&
	    conf_bool(c, v, "optional", &k->optional) != 0)
		return -1;
	if ((v = yaml_get(y, "redact")) != NULL &&
	    conf_list(c, v, "redact", &k->redact) != 0)
		return -1;
	return 0;
}

static int
load_map(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	static const char *const allowed[] = {"label", "namespace", "jq", NULL};
	const struct yaml *v;

	if (y->type == YAML_SCALAR) {
		if (strcmp(y->text, "owner") != 0)
			return conf_fail(c, y->line,
			    "map must be owner, {label: KEY} or {jq: EXPR}");
		k->map = WATCH_MAP_MEMBER;
		return 0;
	}
	if (conf_keys(c, y, "map", allowed) != 0)
		return -1;
	if ((v = yaml_get(y, "jq")) != NULL && y->count == 1) {
		k->map = WATCH_MAP_JQ;
		return conf_string(c, v, "map.jq", &k->map_arg);
	}
	if ((v = yaml_get(y, "label")) == NULL || yaml_get(y, "jq") != NULL)
		return conf_fail(c, y->line,
		    "map must be owner, {label: KEY} or {jq: EXPR}");
	k->map = WATCH_MAP_LABEL;
	if (conf_string(c, v, "map.label", &k->map_arg) != 0)
		return -1;
	v = yaml_get(y, "namespace");
	return v == NULL
	    ? 0
	    : conf_string(c, v, "map.namespace", &k->map_namespace);
}

static int
load_fields(struct conf *c, const struct yaml *y, struct watch_kind *k)
{
	if (k->manage)
		return conf_fail(
		    c, y->line, "fields are allowed only with manage: false");
	if (conf_list(c, y, "fields", &k->fields) != 0)
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

	if (y->type == YAML_SCALAR && yaml_is_null(y))
		return 0;
	if (y->type != YAML_SEQUENCE)
		return conf_fail(c, y->line, "namespaces must be a list");
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
	const struct yaml *v = yaml_get(y, "apiVersion");
	struct span group, version;

	if (v == NULL)
		return conf_fail(c, y->line, "apiVersion is missing");
	if (conf_string(c, v, "apiVersion", &k->api_version) != 0)
		return -1;
	objref_split(span_str(k->api_version), &group, &version);
	k->group = mem_dup(group.p, group.n);
	k->version = mem_dup(version.p, version.n);
	v = yaml_get(y, "kind");
	if (v == NULL)
		return conf_fail(c, y->line, "kind is missing");
	return conf_string(c, v, "kind", &k->kind);
}

int
watchkind_below(struct conf *c, const struct yaml *y, enum watchkind_role role,
    const struct watch_kind *primary, struct watch_kind *k)
{
	/* Only dependents can be managed. */
	static const char *const allowed[] = {"manage", "apiVersion", "kind",
	    "map", "fields", "namespaces", "scope", "optional", "selector",
	    "redact", NULL};
	bool related = role == WATCHKIND_RELATED;
	const struct yaml *v;

	if (conf_keys(c, y, related ? "related" : "dependents",
		related ? allowed + 1 : allowed) != 0 ||
	    load_api_version(c, y, k) != 0 || watchkind_common(c, y, k) != 0)
		return -1;
	k->map = related ? WATCH_MAP_ALL : WATCH_MAP_MEMBER;
	if ((v = yaml_get(y, "manage")) != NULL &&
	    conf_bool(c, v, "manage", &k->manage) != 0)
		return -1;
	if ((v = yaml_get(y, "map")) != NULL && load_map(c, v, k) != 0)
		return -1;
	if ((v = yaml_get(y, "fields")) != NULL && load_fields(c, v, k) != 0)
		return -1;
	if ((v = yaml_get(y, "namespaces")) != NULL)
		return watchkind_namespaces(c, v, &k->namespaces);
	textlist_copy(&k->namespaces, &primary->namespaces);
	return 0;
}

void
watchkind_release(struct watch_kind *k)
{
	free(k->api_version);
	free(k->group);
	free(k->version);
	free(k->kind);
	free(k->selector);
	free(k->map_arg);
	free(k->map_namespace);
	textlist_release(&k->namespaces);
	textlist_release(&k->fields);
	textlist_release(&k->redact);
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
