/* ConfigMaps, Secrets, Namespaces. */
#include "builtin/topics.h"

#include "type/decode_text.h"

enum { DATA_MAX = 1024 * 1024 };

void
configmap_default(struct arena *a, struct node *object)
{
	(void)a;
	(void)object;
}

static void
check_frozen(struct causes *c, const struct node *live,
    const struct node *object, const char *key)
{
	if (!same_member(live, object, key))
		fail_forbidden(c, AT(NULL, key),
		    "field is immutable when `immutable` is set");
}

static void
check_immutable_data(
    struct causes *c, const struct node *live, const struct node *object)
{
	if (!tree_true(given(live, "immutable")))
		return;
	if (!tree_true(given(object, "immutable")))
		fail_forbidden(c, AT(NULL, "immutable"),
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
	const struct node *data = given(object, member);
	bool base64 = strcmp(member, "binaryData") == 0;
	size_t total = 0;

	for (size_t i = 0; i < tree_count(data); i++) {
		struct span key = data->members[i].key;
		struct span value = tree_text(data->members[i].value);
		check_config_key(c, AT_KEY(AT(NULL, member), key), key);
		if (other != NULL && tree_get_span(other, key) != NULL)
			fail_text(c, AT_KEY(AT(NULL, member), key), key,
			    "duplicate of key present in binaryData");
		total += base64 ? decoded_size(value) : value.n;
	}
	return total;
}

void
configmap_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	size_t total;

	if (x->live != NULL)
		check_immutable_data(c, x->live, object);
	total = check_keys(c, object, "data", given(object, "binaryData"));
	total += check_keys(c, object, "binaryData", NULL);
	if (total > DATA_MAX)
		cause_too_long(c, span_str("[]"), NULL, DATA_MAX);
}

/* stringData is written only: decoding makes it data. */
static void
take_string_data(struct arena *a, struct node *object)
{
	const struct node *texts = given(object, "stringData");
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
secret_default(struct arena *a, struct node *object)
{
	take_string_data(a, object);
	default_text(a, object, "type", "Opaque");
}

static void
check_has_key(
    struct causes *c, const struct node *data, const char *key, bool filled)
{
	const struct node *n = given(data, key);

	if (n == NULL || (filled && tree_empty(n)))
		fail_required(c, AT_KEY(AT(NULL, "data"), span_str(key)), "");
}

static void
check_secret_type(struct causes *c, const struct node *object)
{
	const struct node *type = given(object, "type");
	const struct node *data = given(object, "data");

	if (tree_text_is(type, "kubernetes.io/service-account-token")) {
		if (tree_empty(given(tree_path(object, "metadata.annotations"),
			"kubernetes.io/service-account.name")))
			fail_required(c,
			    AT_KEY(AT(AT(NULL, "metadata"), "annotations"),
				span_str("kubernetes.io/service-account.name")),
			    "");
	} else if (tree_text_is(type, "kubernetes.io/dockercfg")) {
		check_has_key(c, data, ".dockercfg", false);
	} else if (tree_text_is(type, "kubernetes.io/dockerconfigjson")) {
		check_has_key(c, data, ".dockerconfigjson", false);
	} else if (tree_text_is(type, "kubernetes.io/basic-auth")) {
		if (given(data, "username") == NULL &&
		    given(data, "password") == NULL) {
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
secret_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *data = given(object, "data");
	size_t total = 0;

	if (x->live != NULL) {
		check_immutable(c, NULL, x->live, object, "type");
		check_immutable_data(c, x->live, object);
	}
	for (size_t i = 0; i < tree_count(data); i++) {
		struct span key = data->members[i].key;
		check_config_key(c, AT_KEY(AT(NULL, "data"), key), key);
		total += decoded_size(tree_text(data->members[i].value));
	}
	if (total > DATA_MAX)
		fail_too_long(c, AT(NULL, "data"), DATA_MAX);
	check_secret_type(c, object);
}

#define NAME_LABEL "kubernetes.io/metadata.name"

void
namespace_default(struct arena *a, struct node *object)
{
	struct node *meta = default_object(a, object, "metadata");
	const struct node *name = given(meta, "name");

	default_object(a, object, "spec");
	if (!tree_empty(name))
		tree_put(a, default_object(a, meta, "labels"), NAME_LABEL,
		    tree_string(a, tree_text(name)));
	default_text(a, default_object(a, object, "status"), "phase", "Active");
}

static void
require_finalizer(struct arena *a, struct node *object)
{
	struct node *spec = tree_make(a, object, "spec"), *f;
	struct node *all = given(spec, "finalizers");

	if (!tree_is(all, NODE_ARRAY)) {
		all = tree_array(a);
		tree_put(a, spec, "finalizers", all);
	}
	for (size_t i = 0; (f = each_of(all, i)) != NULL; i++)
		if (tree_text_is(f, "kubernetes"))
			return;
	tree_append(a, all, tree_str(a, "kubernetes"));
}

void
namespace_prepare(const struct change_of *x, struct node *object)
{
	struct node *status;

	/* A name that was generated is known by now. */
	namespace_default(x->arena, object);
	if (x->live == NULL) {
		status = tree_object(x->arena);
		tree_put(
		    x->arena, status, "phase", tree_str(x->arena, "Active"));
		tree_put(x->arena, object, "status", status);
		require_finalizer(x->arena, object);
	} else if (!span_is(x->subresource, "finalize")) {
		keep_member(x->arena, given(x->live, "spec"),
		    tree_make(x->arena, object, "spec"), "finalizers");
	}
}

static void
check_finalizers(
    struct causes *c, const struct at *at, const struct node *all, bool index)
{
	const struct node *f;

	for (size_t i = 0; (f = each_of(all, i)) != NULL; i++) {
		const struct at *here = index ? AT_INDEX(at, i) : at;
		struct span s = tree_text(f);
		check_qualified_name(c, here, s);
		if (span_find(s, '/') == NULL &&
		    !text_is_any(f, "kubernetes", "orphan",
			"foregroundDeletion", (char *)NULL))
			fail_text(c, here, s,
			    "name is neither a standard finalizer name nor is "
			    "it fully qualified");
	}
}

void
namespace_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(AT(NULL, "spec"), "finalizers");
	const struct node *phase = tree_path(object, "status.phase");
	bool going =
	    !tree_empty(tree_path(object, "metadata.deletionTimestamp"));

	if (span_is(x->subresource, "status")) {
		if (!going && !tree_text_is(phase, "Active"))
			fail_invalid(c, AT(AT(NULL, "status"), "Phase"), phase,
			    "may only be 'Active' if `deletionTimestamp` is "
			    "empty");
		if (going && !tree_text_is(phase, "Terminating"))
			fail_invalid(c, AT(AT(NULL, "status"), "Phase"), phase,
			    "may only be 'Terminating' if "
			    "`deletionTimestamp` is not empty");
		return;
	}
	check_finalizers(c, at, tree_path(object, "spec.finalizers"),
	    span_is(x->subresource, "finalize"));
}
