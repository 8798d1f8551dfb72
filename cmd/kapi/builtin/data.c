/* Part of builtin/topics.h. ConfigMaps, Secrets and Namespaces: functions that
 * rules.txt calls, and the changes that the server makes in a write. */
#include "builtin/topics.h"

#include "type/decode_text.h"

enum { DATA_MAX = 1024 * 1024 };

/* Bytes that base64 stands for. */
static size_t
decoded_size(struct span s)
{
	size_t padding = 0;

	while (padding < s.n && padding < 2 && s.p[s.n - 1 - padding] == '=')
		padding++;
	return s.n / 4 * 3 - (s.n >= 4 ? padding : 0);
}

/* The size of all values of a member. */
static size_t
size_of(const struct node *data, bool base64)
{
	size_t total = 0;

	for (size_t i = 0; i < tree_count(data); i++) {
		struct span value = tree_text(data->members[i].value);
		total += base64 ? decoded_size(value) : value.n;
	}
	return total;
}

void
data_key(const struct rule_run *run, const struct rule_place *p)
{
	rule_config_key(run->causes, p->at, p->at->key);
}

/* A key of a ConfigMap that may be in binaryData, too. */
void
data_text_key(const struct rule_run *run, const struct rule_place *p)
{
	struct span key = p->at->key;

	rule_config_key(run->causes, p->at, key);
	if (tree_get_span(rule_given(p->outer->outer->n, "binaryData"), key) !=
	    NULL)
		rule_fail_text(run->causes, p->at, key,
		    "duplicate of key present in binaryData");
}

void
data_configmap_size(const struct rule_run *run, const struct rule_place *p)
{
	if (size_of(rule_given(p->n, "data"), false) +
		size_of(rule_given(p->n, "binaryData"), true) >
	    DATA_MAX)
		cause_too_long(run->causes, span_str("[]"), NULL, DATA_MAX);
}

void
data_secret_size(const struct rule_run *run, const struct rule_place *p)
{
	if (size_of(p->n, true) > DATA_MAX)
		rule_fail_too_long(run->causes, p->at, DATA_MAX);
}

/* stringData is written only: decoding makes it data. */
void
data_secret_default(struct arena *a, struct node *object)
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
