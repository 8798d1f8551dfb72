#include "oracle/normal.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "oracle/played.h"

/* ---- what is left out ---- */

/* Where a member stands. */
enum where { OBJECT, METADATA, ANNOTATIONS, OWNERS, BELOW };

static bool
is_left_out(enum where w, struct span key)
{
	static const char *const of_metadata[] = {"creationTimestamp",
	    "generation", "managedFields", "selfLink", "generateName", NULL};
	static const char *const anywhere[] = {"uid", "resourceVersion",
	    "nodePort", "healthCheckNodePort", "clusterIP", "clusterIPs",
	    "podIP", "podIPs", "hostIP", "hostIPs", NULL};
	static const char *const marks[] = {
	    "kpipe.dev/paths", "kpipe.dev/proof", "kpipe.dev/origin", NULL};

	if (w == METADATA && span_is_one_of(key, of_metadata))
		return true;
	if (w == ANNOTATIONS)
		return span_is_one_of(key, marks) ||
		    span_starts(key, "kpipe.dev/accepted") ||
		    span_starts(key, "kpipe.dev/patch-");
	return span_is_one_of(key, anywhere);
}

static enum where
below(enum where w, struct span key)
{
	if (w == OBJECT && span_is(key, "metadata"))
		return METADATA;
	if (w == METADATA && span_is(key, "annotations"))
		return ANNOTATIONS;
	if (w == METADATA && span_is(key, "ownerReferences"))
		return OWNERS;
	return w == OWNERS ? OWNERS : BELOW;
}

bool
normal_is_time(struct span s)
{
	static const char form[] = "0000-00-00T00:00:00";

	if (s.n < sizeof(form) || (s.p[s.n - 1] != 'Z' && s.n < 25))
		return false;
	for (size_t i = 0; i < sizeof(form) - 1; i++)
		if (form[i] == '0' ? !span_is_digit(s.p[i]) : form[i] != s.p[i])
			return false;
	return true;
}

static bool
is_uuid(struct span s)
{
	if (s.n != 36)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (i == 8 || i == 13 || i == 18 || i == 23
			? s.p[i] != '-'
			: !span_is_digit(s.p[i]) &&
			    !(s.p[i] >= 'a' && s.p[i] <= 'f'))
			return false;
	return true;
}

/* Texts of which one is as good as another are the same; borrowed until the
 * next but one call. */
static struct span
masked_text(enum where w, struct span key, struct span s)
{
	static struct buf names[2];
	static unsigned turn;
	struct buf *name = &names[turn++ % COUNT(names)];

	if (normal_is_time(s))
		return span_str("<time>");
	if (is_uuid(s))
		return span_str("<uid>");
	if (w != OWNERS || !span_is(key, "name"))
		return s;
	buf_reset(name);
	played_add_masked(name, s);
	return buf_span(name);
}

/* Lists without an order that counts. */
static const char *
list_key(struct span key)
{
	return span_is(key, "conditions")     ? "type"
	    : span_is(key, "ownerReferences") ? "name"
	    : span_is(key, "finalizers")      ? ""
					      : NULL;
}

static int64_t
generation_of(jv object_peek)
{
	return played_number(
	    jvtext_peek(object_peek, "metadata"), "generation", 0);
}

/* ---- masks ---- */

static void
free_paths(struct normal_paths *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->paths[i]);
	free(p->paths);
	free(p->canon);
	free(p->kind);
	free(p);
}

void
normal_mask_release(struct normal_mask *m)
{
	struct normal_paths *p, *next;

	for (size_t i = 0; (p = map_next(&m->by_canon, &i)) != NULL;)
		free_paths(p);
	map_release(&m->by_canon);
	for (p = m->patterns; p != NULL; p = next) {
		next = p->next;
		free_paths(p);
	}
	m->patterns = NULL;
}

static void
add_path(struct normal_paths *p, struct span path)
{
	p->paths = mem_grow(p->paths, p->count, sizeof(*p->paths));
	p->paths[p->count++] = mem_dup(path.p, path.n);
}

void
normal_mask_add(struct normal_mask *m, struct span canon, struct span path)
{
	struct normal_paths *p = map_get(&m->by_canon, canon);

	if (p == NULL) {
		p = mem_zalloc(sizeof(*p));
		p->canon = mem_dup(canon.p, canon.n);
		map_put(&m->by_canon, span_str(p->canon), p);
	}
	add_path(p, path);
}

void
normal_mask_pattern(struct normal_mask *m, struct span kind, struct span path)
{
	struct normal_paths *p = mem_zalloc(sizeof(*p));

	if (kind.n > 0)
		p->kind = mem_dup(kind.p, kind.n);
	add_path(p, path);
	p->next = m->patterns;
	m->patterns = p;
}

/* A step of a path: ".key", "[\"odd key\"]" or "[3]". */
static struct span
cut_step(struct span *path)
{
	struct span step;
	size_t n = 1;

	if (path->n >= 2 && path->p[0] == '[' && path->p[1] == '"') {
		for (n = 2; n < path->n && path->p[n] != '"'; n++)
			n += path->p[n] == '\\';
		n = n + 2 < path->n ? n + 2 : path->n;
	} else
		while (n < path->n && path->p[n] != '.' && path->p[n] != '[')
			n++;
	step = span_make(path->p, n);
	*path = span_skip(*path, n);
	return step;
}

static bool
covers(struct span pattern, struct span path)
{
	if (span_is(pattern, "."))
		return true;
	while (pattern.n > 0) {
		struct span want = cut_step(&pattern), is;

		if (path.n == 0)
			return false;
		is = cut_step(&path);
		if (!span_is(want, ".*") && !span_is(want, "[*]") &&
		    !span_is(want, "[]") && !span_eq(want, is))
			return false;
	}
	return true;
}

static bool
is_of_kind(const char *pattern, struct span kind)
{
	struct span short_kind = kind;

	if (pattern == NULL || span_is(kind, pattern))
		return true;
	short_kind = span_cut(&short_kind, '.');
	return span_is(short_kind, pattern);
}

void
normal_mask_rules(struct normal_mask *m, jv rules, const char *word)
{
	for (int i = 0, n = played_length(rules); i < n; i++) {
		jv rule = played_at(rules, i);
		struct span path = played_text(rule, word);

		if (path.n > 0)
			normal_mask_pattern(m, played_text(rule, "kind"), path);
	}
}

bool
normal_masked(const struct normal_mask *m, struct span canon, struct span kind,
    struct span path)
{
	const struct normal_paths *p = map_get(&m->by_canon, canon);

	for (size_t i = 0; p != NULL && i < p->count; i++)
		if (covers(span_str(p->paths[i]), path))
			return true;
	for (p = m->patterns; p != NULL; p = p->next)
		if (is_of_kind(p->kind, kind) &&
		    covers(span_str(p->paths[0]), path))
			return true;
	return false;
}

bool
normal_has_pattern(const struct normal_mask *m, struct span kind)
{
	const struct normal_paths *p = m->patterns;

	while (p != NULL && !is_of_kind(p->kind, kind))
		p = p->next;
	return p != NULL;
}

/* ---- two values ---- */

struct comparison {
	struct buf path;
	int64_t want_generation, is_generation;
	normal_differ *differ;
	void *arg;
};

static void compare(
    struct comparison *, enum where, struct span key, jv want, jv is);

static void
differs(struct comparison *c, jv want, jv is)
{
	c->differ(c->arg, c->path.len > 0 ? buf_span(&c->path) : span_str("."),
	    want, is);
}

static void
compare_member(struct comparison *c, enum where w, jv key, jv want, jv is)
{
	struct span text = jvtext_span(key);
	size_t before = c->path.len;

	if (is_left_out(w, text))
		return;
	jvtext_add_key(&c->path, text);
	if (!jv_is_valid(want) || !jv_is_valid(is))
		differs(c, want, is);
	else
		compare(c, below(w, text), text, want, is);
	buf_truncate(&c->path, before);
}

static void
compare_objects(struct comparison *c, enum where w, jv want, jv is)
{
	for (int i = jv_object_iter(want); jv_object_iter_valid(want, i);
	     i = jv_object_iter_next(want, i)) {
		jv key = jv_object_iter_key(want, i);
		jv value = jv_object_iter_value(want, i);

		compare_member(
		    c, w, key, value, jvtext_peek(is, jv_string_value(key)));
		jv_free(key);
		jv_free(value);
	}
	for (int i = jv_object_iter(is); jv_object_iter_valid(is, i);
	     i = jv_object_iter_next(is, i)) {
		jv key = jv_object_iter_key(is, i);
		jv value = jv_object_iter_value(is, i);

		if (!jv_is_valid(jvtext_peek(want, jv_string_value(key))))
			compare_member(c, w, key, jv_invalid(), value);
		jv_free(key);
		jv_free(value);
	}
}

/* By which text an element is found; by "": itself. Borrowed as masked_text's. */
static struct span
mark_of(enum where w, jv element, const char *by)
{
	return *by == '\0'
	    ? jvtext_span(element)
	    : masked_text(w, span_str(by), played_text(element, by));
}

static jv
partner(enum where w, jv list, jv element, const char *by)
{
	for (int i = 0, n = played_length(list); i < n; i++) {
		jv other = played_at(list, i);

		if (span_eq(mark_of(w, other, by), mark_of(w, element, by)))
			return other;
	}
	return jv_invalid();
}

static void
compare_sets(struct comparison *c, enum where w, const char *by, jv want, jv is)
{
	size_t before = c->path.len;

	for (int side = 0; side < 2; side++) {
		jv list = side == 0 ? want : is;

		for (int i = 0, n = played_length(list); i < n; i++) {
			jv a = played_at(list, i);
			jv b = partner(w, side == 0 ? is : want, a, by);

			jvtext_add_key(&c->path, mark_of(w, a, by));
			if (!jv_is_valid(b))
				differs(
				    c, side == 0 ? a : b, side == 0 ? b : a);
			else if (side == 0)
				compare(c, w, SPAN_NONE, a, b);
			buf_truncate(&c->path, before);
		}
	}
}

static void
compare_arrays(
    struct comparison *c, enum where w, struct span key, jv want, jv is)
{
	const char *by = list_key(key);
	int n = played_length(want);
	size_t before = c->path.len;

	if (by != NULL)
		compare_sets(c, w, by, want, is);
	else if (n != played_length(is))
		differs(c, want, is);
	else
		for (int i = 0; i < n; i++) {
			jvtext_add_index(&c->path, i);
			compare(c, w, SPAN_NONE, played_at(want, i),
			    played_at(is, i));
			buf_truncate(&c->path, before);
		}
}

static void
compare(struct comparison *c, enum where w, struct span key, jv want, jv is)
{
	jv_kind kind = jv_get_kind(want);
	bool same = true;

	if (kind != jv_get_kind(is)) {
		differs(c, want, is);
		return;
	}
	switch (kind) {
	case JV_KIND_OBJECT:
		compare_objects(c, w, want, is);
		return;
	case JV_KIND_ARRAY:
		compare_arrays(c, w, key, want, is);
		return;
	case JV_KIND_STRING:
		same = span_eq(masked_text(w, key, jvtext_span(want)),
		    masked_text(w, key, jvtext_span(is)));
		break;
	case JV_KIND_NUMBER:
		same = span_is(key, "observedGeneration")
		    ? jv_number_value(want) - (double)c->want_generation ==
			jv_number_value(is) - (double)c->is_generation
		    : jv_number_value(want) == jv_number_value(is);
		break;
	case JV_KIND_NULL:
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
	case JV_KIND_INVALID:
		break;
	}
	if (!same)
		differs(c, want, is);
}

void
normal_compare(jv want, jv is, normal_differ *differ, void *arg)
{
	struct comparison c = {
	    BUF_INIT, generation_of(want), generation_of(is), differ, arg};

	compare(&c, OBJECT, SPAN_NONE, want, is);
	buf_release(&c.path);
}

/* ---- one value ---- */

static uint64_t
mix(uint64_t h)
{
	/* The last step of MurmurHash3. */
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

static uint64_t
hash_value(enum where w, struct span key, jv v, int64_t generation)
{
	uint64_t h = (uint64_t)jv_get_kind(v) + 1;
	double number;

	switch (jv_get_kind(v)) {
	case JV_KIND_OBJECT:
		/* A sum: members have no order. */
		for (int i = jv_object_iter(v); jv_object_iter_valid(v, i);
		     i = jv_object_iter_next(v, i)) {
			jv k = jv_object_iter_key(v, i);
			jv value = jv_object_iter_value(v, i);
			struct span text = jvtext_span(k);

			if (!is_left_out(w, text))
				h += mix(hash_text(text) ^
				    mix(hash_value(below(w, text), text, value,
					generation)));
			jv_free(k);
			jv_free(value);
		}
		return mix(h);
	case JV_KIND_ARRAY:
		for (int i = 0, n = played_length(v); i < n; i++) {
			uint64_t e = mix(hash_value(
			    w, SPAN_NONE, played_at(v, i), generation));

			h = list_key(key) != NULL ? h + e : mix(h ^ e) + e;
		}
		return mix(h);
	case JV_KIND_STRING:
		return mix(h ^ hash_text(masked_text(w, key, jvtext_span(v))));
	case JV_KIND_NUMBER:
		number = jv_number_value(v);
		if (span_is(key, "observedGeneration"))
			number -= (double)generation;
		return mix(h ^
		    hash_text(
			span_make((const char *)&number, sizeof(number))));
	case JV_KIND_NULL:
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
	case JV_KIND_INVALID:
		break;
	}
	return mix(h);
}

uint64_t
normal_hash(jv object, enum normal_part part)
{
	int64_t generation = generation_of(object);
	uint64_t h = 0;

	if (part == NORMAL_STATUS)
		return hash_value(BELOW, SPAN_NONE,
		    jvtext_peek(object, "status"), generation);
	for (int i = jv_object_iter(object); jv_object_iter_valid(object, i);
	     i = jv_object_iter_next(object, i)) {
		jv k = jv_object_iter_key(object, i);
		jv value = jv_object_iter_value(object, i);
		struct span text = jvtext_span(k);

		if (!span_is(text, "status"))
			h += mix(hash_text(text) ^
			    mix(hash_value(
				below(OBJECT, text), text, value, generation)));
		jv_free(k);
		jv_free(value);
	}
	return mix(h);
}

/* ---- messages ---- */

const char *
normal_show(jv value)
{
	enum { TURNS = 4, SHOWN = 120 };
	static struct buf texts[TURNS];
	static unsigned turn;
	struct buf *b = &texts[turn++ % TURNS];

	buf_reset(b);
	if (!jv_is_valid(value))
		buf_adds(b, "absent");
	else if (jvtext_add(b, value, NULL) != 0)
		buf_adds(b, "what cannot be printed");
	if (b->len > SHOWN) {
		buf_truncate(b, SHOWN);
		buf_adds(b, "...");
	}
	return buf_str(b);
}
