/*
 * The rules of built-in kinds, compared with a real API server's answers:
 * t/unit/kapi/builtin/recorded.jsonl, written by t/unit/kapi/builtin/record.
 */
#include "builtin/builtin.h"

#include "base/array.h"
#include "base/map.h"
#include "kinds/kinds.h"
#include "trees.h"
#include "type/decode.h"
#include "type/encode.h"
#include "type/objectmeta.h"

static struct store *store;
static struct registry *registry;
static struct map kept; /* path to the last answer */
static struct arena lasting;

/* The path of a request: /apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUB. */
struct target {
	struct resource *resource;
	struct span namespace_, subresource, object; /* object: its path */
};

static size_t
split(struct span path, struct span *parts, size_t max)
{
	size_t n = 0, start = 1;

	for (size_t i = 1; i <= path.n && n < max; i++)
		if (i == path.n || path.p[i] == '/') {
			parts[n++] = span_make(path.p + start, i - start);
			start = i + 1;
		}
	return n;
}

static struct target
target_of(struct span path)
{
	struct span parts[10] = {SPAN_NONE}, group = span_str(""), version;
	struct target t = {NULL, SPAN_NONE, SPAN_NONE, SPAN_NONE};
	size_t n = split(path, parts, 10), i = 1, name;

	if (span_is(parts[0], "apis"))
		group = parts[i++];
	version = parts[i++];
	if (n > i + 2 && span_is(parts[i], "namespaces") &&
	    !span_is(parts[i + 2], "status")) {
		t.namespace_ = parts[i + 1];
		i += 2;
	}
	t.resource = resource_find(registry, group, version, parts[i]);
	name = i + 1;
	if (n > name)
		t.object = span_make(
		    path.p, (size_t)(parts[name].p + parts[name].n - path.p));
	if (n > name + 1)
		t.subresource = parts[name + 1];
	return t;
}

static void
merge(struct node *target, const struct node *patch)
{
	for (size_t i = 0; i < patch->n; i++) {
		struct node *value = patch->members[i].value;
		struct span key = patch->members[i].key;
		struct node *old = tree_get_span(target, key);
		if (tree_is(value, NODE_NULL))
			tree_remove_span(target, key);
		else if (tree_is(value, NODE_OBJECT) &&
		    tree_is(old, NODE_OBJECT))
			merge(old, value);
		else
			tree_set(&arena, target, key, tree_copy(&arena, value));
	}
}

/* If object has the member, it gets the answer's value. */
static void
take(struct node *object, const struct node *answer, const char *key)
{
	if (tree_get(object, key) != NULL && tree_get(answer, key) != NULL)
		tree_put(&arena, object, key, tree_get(answer, key));
}

/* Random values of the server are taken from its answer. */
static void
same_random(struct node *object, const struct node *answer)
{
	struct node *spec = tree_get(object, "spec"), *list;
	const struct node *real = tree_get(answer, "spec"), *r;

	take(tree_get(object, "status"), tree_get(answer, "status"),
	    "lastPhaseTransitionTime");
	list = tree_path(object, "status.conditions");
	r = tree_path(answer, "status.conditions");
	for (size_t i = 0; i < tree_count(list) && i < tree_count(r); i++)
		take(list->items[i], r->items[i], "lastTransitionTime");
	if (!tree_text_is(tree_get(object, "kind"), "Service"))
		return;
	take(spec, real, "clusterIP");
	take(spec, real, "clusterIPs");
	take(spec, real, "healthCheckNodePort");
	list = tree_get(spec, "ports");
	r = tree_get(real, "ports");
	for (size_t i = 0; i < tree_count(list) && i < tree_count(r); i++)
		take(list->items[i], r->items[i], "nodePort");
}

/* The uid that the server assigned, from its answer or its refusal. */
static struct span
uid_of(const struct node *answer)
{
	struct span uid = tree_path_text(answer, "metadata.uid");
	struct span all = tree_path_text(answer, "message");
	static const char label[] = "controller-uid\":\"";
	const char *p =
	    all.n == 0 ? NULL : memmem(all.p, all.n, label, sizeof(label) - 1);

	if (uid.n > 0)
		return uid;
	return p == NULL ? span_str("u") : span_make(p + sizeof(label) - 1, 36);
}

/* Finalizers for protection, which a controller would have to remove: kapi sets
 * none. */
static void
drop_protection(struct node *answer)
{
	struct node *meta = tree_get(answer, "metadata");
	struct node *all = tree_get(meta, "finalizers");
	struct span first =
	    tree_count(all) == 1 ? tree_text(all->items[0]) : SPAN_NONE;

	if (span_is(first, "kubernetes.io/pvc-protection") ||
	    span_is(first, "kubernetes.io/pv-protection"))
		tree_remove(meta, "finalizers");
}

/* Not compared: metadata, which belongs to other modules, and whether
 * privileged containers are allowed, which is a flag of the server. */
static bool
of_metadata(struct span field)
{
	static const char flag[] = "securityContext.privileged";
	size_t n = sizeof(flag) - 1;

	if (field.n > n && memcmp(field.p + field.n - n, flag, n) == 0)
		return true;
	return field.n >= 9 && memcmp(field.p, "metadata.", 9) == 0 &&
	    memmem(field.p, field.n, "annotations[", 12) == NULL;
}

/* Left out of a message: Go's diff at its end, and a whole template as Go's
 * structs. */
static struct span
without_go(struct span message)
{
	const char *p = memmem(message.p, message.n, "\n", 1);

	if (memmem(message.p, message.n, "\"containers\":[", 14) != NULL ||
	    memmem(message.p, message.n, "\"Containers\":[", 14) != NULL)
		return span_str("Invalid value: a template");
	if (p == NULL)
		return message;
	return span_make(message.p, (size_t)(p - message.p) + 1);
}

/* Sorted by text: Go walks maps in any order. */
static const char *
sorted_lines(struct span *lines, size_t n)
{
	struct buf b = BUF_INIT;
	struct span s;

	if (n > 0)
		qsort(lines, n, sizeof(lines[0]), span_order);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%.*s\n#       ", SPAN_ARG(lines[i]));
	s = arena_span(&arena, buf_span(&b));
	buf_release(&b);
	return arena_str(&arena, s);
}

/* A line for each cause: field, reason and message; without those of metadata,
 * which belong to other modules. */
static const char *
words_of_causes(const struct causes *c)
{
	struct span *lines = arena_alloc(&arena, (c->n + 1) * sizeof(lines[0]));
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (!of_metadata(c->items[i].field))
			lines[n++] = arena_printf(&arena, "%.*s %.*s %.*s",
			    SPAN_ARG(c->items[i].field),
			    SPAN_ARG(c->items[i].reason),
			    SPAN_ARG(without_go(c->items[i].message)));
	return sorted_lines(lines, n);
}

static const char *
words_of_answer(const struct node *answer)
{
	const struct node *all = tree_get(answer, "causes");
	struct span *lines =
	    arena_alloc(&arena, (tree_count(all) + 1) * sizeof(lines[0]));
	size_t n = 0;

	for (size_t i = 0; i < tree_count(all); i++) {
		const struct node *cause = all->items[i];
		if (!of_metadata(tree_text(tree_get(cause, "field"))))
			lines[n++] = arena_printf(&arena, "%.*s %.*s %.*s",
			    SPAN_ARG(tree_text(tree_get(cause, "field"))),
			    SPAN_ARG(tree_text(tree_get(cause, "reason"))),
			    SPAN_ARG(without_go(
				tree_text(tree_get(cause, "message")))));
	}
	return sorted_lines(lines, n);
}

static struct node *
object_of(
    const struct target *t, const struct node *body, const struct node *live)
{
	struct node *object = tree_copy(&arena, live != NULL ? live : body);
	struct warnings unknown = {&arena, NULL, 0};

	if (live != NULL)
		merge(object, body);
	if (t->namespace_.n > 0)
		tree_put(&arena, tree_make(&arena, object, "metadata"),
		    "namespace", tree_string(&arena, t->namespace_));
	decode_builtin(&arena, t->resource->schema, object, &unknown);
	return object;
}

static void
keep(const struct target *t, struct span path, const struct node *answer)
{
	struct span name = tree_path_text(answer, "metadata.name");
	struct span key = t->object.n > 0 ? arena_span(&lasting, t->object)
					  : arena_printf(&lasting, "%.*s/%.*s",
						SPAN_ARG(path), SPAN_ARG(name));
	struct node *n = tree_clone(&lasting, answer);

	map_put(&kept, key, n);
	if (t->resource->collection == NULL)
		return;
	n = tree_copy(&lasting, n);
	tree_put(&lasting, tree_get(n, "metadata"), "resourceVersion",
	    tree_string(&lasting,
		arena_printf(&lasting, "%llu",
		    (unsigned long long)store_next_version(store))));
	store_put(store, t->resource->collection, n);
}

static void
try_line(void *number, struct node *line)
{
	struct span words = tree_text(tree_get(line, "do"));
	const char *space = memchr(words.p, ' ', words.n);
	struct span path =
	    span_make(space + 1, words.n - (size_t)(space + 1 - words.p));
	const struct node *answer = tree_get(line, "answer"), *live = NULL;
	struct target t = target_of(path);
	struct causes c = {&arena, NULL, 0};
	struct node *object;
	struct problem *refused = NULL;
	struct change_of x;
	struct buf what = BUF_INIT;

	buf_addf(&what, "%zu %.*s ", ++*(size_t *)number, SPAN_ARG(words));
	tree_write(&what, tree_get(line, "body"));
	if (t.resource == NULL) {
		ok(false, buf_str(&what));
		buf_release(&what);
		return;
	}
	if (t.object.n > 0)
		live = map_get(&kept, t.object);
	object = object_of(&t, tree_get(line, "body"), live);
	drop_protection(tree_get(line, "answer"));
	builtin_default(&arena, t.resource, object);
	if (live == NULL)
		tree_put(&arena, tree_make(&arena, object, "metadata"), "uid",
		    tree_string(&arena, uid_of(answer)));
	x = (struct change_of){&arena, t.resource, store, t.subresource, live};
	builtin_prepare(&x, object);
	builtin_validate(&c, &x, object);
	if (c.n == 0)
		refused = builtin_admit(&x, object);
	for (size_t i = 0; refused != NULL && i < refused->cause_count; i++)
		cause_add(&c, arena_str(&arena, refused->causes[i].reason),
		    refused->causes[i].field, refused->causes[i].message);
	encode_builtin(&arena, t.resource->schema, object);
	if (tree_text_is(tree_get(answer, "reason"), "Forbidden")) {
		is(refused == NULL ? "" : arena_str(&arena, refused->message),
		    arena_str(&arena, tree_text(tree_get(answer, "message"))),
		    buf_str(&what));
	} else if (tree_get(answer, "causes") != NULL &&
	    !tree_is(tree_get(answer, "causes"), NODE_NULL)) {
		is(words_of_causes(&c), words_of_answer(answer),
		    buf_str(&what));
	} else if (tree_get(answer, "metadata") != NULL) {
		if (c.n > 0)
			is(words_of_causes(&c), "", buf_str(&what));
		same_random(object, answer);
		is(written(object), written(answer), buf_str(&what));
		keep(&t, path, answer);
	}
	buf_release(&what);
}

int
main(void)
{
	size_t number = 0;

	store = store_new();
	registry = resource_registry_new(kinds_find);
	resource_bind(registry, store);
	each_line("t/unit/kapi/builtin/recorded.jsonl", try_line, &number);
	arena_release(&arena);
	arena_release(&lasting);
	map_release(&kept);
	resource_registry_free(registry);
	store_free(store);
	return tap_done();
}
