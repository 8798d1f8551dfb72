/* Part of builtin/topics.h. ConfigMaps, Secrets, Namespaces. */
#include "builtin/topics.h"

#include "type/decode_text.h"

enum { DATA_MAX = 1024 * 1024 };

static void
check_frozen(struct causes *c, const struct node *live,
    const struct node *object, const char *key)
{
	if (!builtin_same_member(live, object, key))
		rule_fail_forbidden(c, AT(NULL, key),
		    "field is immutable when `immutable` is set");
}

static void
check_immutable_data(
    struct causes *c, const struct node *live, const struct node *object)
{
	if (!tree_true(rule_given(live, "immutable")))
		return;
	if (!tree_true(rule_given(object, "immutable")))
		rule_fail_forbidden(c, AT(NULL, "immutable"),
		    "field is immutable when `immutable` is set");
	check_frozen(c, live, object, "data");
	check_frozen(c, live, object, "binaryData");
}

/* Bytes that base64 stands for. */
static size_t
decoded_size(struct span s)
{
	size_t padding = 0;

	while (padding < s.n && padding < 2 && s.p[s.n - 1 - padding] == '=')
		padding++;
	return s.n / 4 * 3 - (s.n >= 4 ? padding : 0);
}

static size_t
check_keys(struct causes *c, const struct node *object, const char *member,
    const struct node *other)
{
	const struct node *data = rule_given(object, member);
	bool base64 = strcmp(member, "binaryData") == 0;
	size_t total = 0;

	for (size_t i = 0; i < tree_count(data); i++) {
		struct span key = data->members[i].key;
		struct span value = tree_text(data->members[i].value);
		rule_config_key(c, AT_KEY(AT(NULL, member), key), key);
		if (other != NULL && tree_get_span(other, key) != NULL)
			rule_fail_text(c, AT_KEY(AT(NULL, member), key), key,
			    "duplicate of key present in binaryData");
		total += base64 ? decoded_size(value) : value.n;
	}
	return total;
}

void
data_configmap_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	size_t total;

	if (x->live != NULL)
		check_immutable_data(c, x->live, object);
	total = check_keys(c, object, "data", rule_given(object, "binaryData"));
	total += check_keys(c, object, "binaryData", NULL);
	if (total > DATA_MAX)
		cause_too_long(c, span_str("[]"), NULL, DATA_MAX);
}

/* stringData is written only: decoding makes it data. */
static void
take_string_data(struct arena *a, struct node *object)
{
	const struct node *texts = rule_given(object, "stringData");
	struct node *data;

	if (tree_count(texts) > 0) {
		data = tree_make(a, object, "data");
		for (size_t i = 0; i < texts->n; i++)
			tree_set(a, data, texts->members[i].key,
			    tree_string(a,
				decode_base64_text(
				    a, tree_text(texts->members[i].value))));
	}
	tree_remove(object, "stringData");
}

void
data_secret_default(struct arena *a, struct node *object)
{
	take_string_data(a, object);
	builtin_default_text(a, object, "type", "Opaque");
}

static void
check_has_key(
    struct causes *c, const struct node *data, const char *key, bool filled)
{
	const struct node *n = rule_given(data, key);

	if (n == NULL || (filled && tree_empty(n)))
		rule_fail_required(
		    c, AT_KEY(AT(NULL, "data"), span_str(key)), "");
}

static void
check_secret_type(struct causes *c, const struct node *object)
{
	const struct node *type = rule_given(object, "type");
	const struct node *data = rule_given(object, "data");

	if (tree_text_is(type, "kubernetes.io/service-account-token")) {
		if (tree_empty(
			rule_given(tree_path(object, "metadata.annotations"),
			    "kubernetes.io/service-account.name")))
			rule_fail_required(c,
			    AT_KEY(AT(AT(NULL, "metadata"), "annotations"),
				span_str("kubernetes.io/service-account.name")),
			    "");
	} else if (tree_text_is(type, "kubernetes.io/dockercfg")) {
		check_has_key(c, data, ".dockercfg", false);
	} else if (tree_text_is(type, "kubernetes.io/dockerconfigjson")) {
		check_has_key(c, data, ".dockerconfigjson", false);
	} else if (tree_text_is(type, "kubernetes.io/basic-auth")) {
		if (rule_given(data, "username") == NULL &&
		    rule_given(data, "password") == NULL) {
			check_has_key(c, data, "username", false);
			check_has_key(c, data, "password", false);
		}
	} else if (tree_text_is(type, "kubernetes.io/ssh-auth")) {
		check_has_key(c, data, "ssh-privatekey", true);
	} else if (tree_text_is(type, "kubernetes.io/tls")) {
		check_has_key(c, data, "tls.crt", false);
		check_has_key(c, data, "tls.key", false);
	}
}

void
data_secret_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *data = rule_given(object, "data");
	size_t total = 0;

	if (x->live != NULL) {
		rule_immutable(c, NULL, x->live, object, "type");
		check_immutable_data(c, x->live, object);
	}
	for (size_t i = 0; i < tree_count(data); i++) {
		struct span key = data->members[i].key;
		rule_config_key(c, AT_KEY(AT(NULL, "data"), key), key);
		total += decoded_size(tree_text(data->members[i].value));
	}
	if (total > DATA_MAX)
		rule_fail_too_long(c, AT(NULL, "data"), DATA_MAX);
	check_secret_type(c, object);
}

#define NAME_LABEL "kubernetes.io/metadata.name"

void
data_namespace_default(struct arena *a, struct node *object)
{
	struct node *meta = tree_make(a, object, "metadata");
	const struct node *name = rule_given(meta, "name");

	tree_make(a, object, "spec");
	if (!tree_empty(name))
		tree_put(a, tree_make(a, meta, "labels"), NAME_LABEL,
		    tree_string(a, tree_text(name)));
	builtin_default_text(
	    a, tree_make(a, object, "status"), "phase", "Active");
}

static void
require_finalizer(struct arena *a, struct node *object)
{
	struct node *spec = tree_make(a, object, "spec"), *f;
	struct node *all = rule_given(spec, "finalizers");

	if (!tree_is(all, NODE_ARRAY)) {
		all = tree_array(a);
		tree_put(a, spec, "finalizers", all);
	}
	for (size_t i = 0; (f = builtin_item(all, i)) != NULL; i++)
		if (tree_text_is(f, "kubernetes"))
			return;
	tree_append(a, all, tree_str(a, "kubernetes"));
}

void
data_namespace_prepare(const struct change_of *x, struct node *object)
{
	struct node *status;

	/* A name that was generated is known by now. */
	data_namespace_default(x->arena, object);
	if (x->live == NULL) {
		status = tree_object(x->arena);
		tree_put(
		    x->arena, status, "phase", tree_str(x->arena, "Active"));
		tree_put(x->arena, object, "status", status);
		require_finalizer(x->arena, object);
	} else if (!span_is(x->subresource, "finalize")) {
		builtin_keep_member(x->arena, rule_given(x->live, "spec"),
		    tree_make(x->arena, object, "spec"), "finalizers");
	}
}

static void
check_finalizers(
    struct causes *c, const struct at *at, const struct node *all, bool index)
{
	const struct node *f;

	for (size_t i = 0; (f = builtin_item(all, i)) != NULL; i++) {
		const struct at *here = index ? AT_INDEX(at, i) : at;
		struct span s = tree_text(f);
		rule_qualified_name(c, here, s);
		if (span_find(s, '/') == NULL &&
		    !rule_text_is_any(f, "kubernetes", "orphan",
			"foregroundDeletion", (char *)NULL))
			rule_fail_text(c, here, s,
			    "name is neither a standard finalizer name nor is "
			    "it fully qualified");
	}
}

void
data_namespace_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(AT(NULL, "spec"), "finalizers");
	const struct node *phase = tree_path(object, "status.phase");
	bool going =
	    !tree_empty(tree_path(object, "metadata.deletionTimestamp"));

	if (span_is(x->subresource, "status")) {
		if (!going && !tree_text_is(phase, "Active"))
			rule_fail_invalid(c, AT(AT(NULL, "status"), "Phase"),
			    phase,
			    "may only be 'Active' if `deletionTimestamp` is "
			    "empty");
		if (going && !tree_text_is(phase, "Terminating"))
			rule_fail_invalid(c, AT(AT(NULL, "status"), "Phase"),
			    phase,
			    "may only be 'Terminating' if "
			    "`deletionTimestamp` is not empty");
		return;
	}
	check_finalizers(c, at, tree_path(object, "spec.finalizers"),
	    span_is(x->subresource, "finalize"));
}
