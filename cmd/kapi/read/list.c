#include "read/list.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "json/json.h"
#include "reply/reply.h"
#include "reply/table.h"
#include "text/gotext.h"
#include "tree/tree.h"
#include "value/base64.h"
#include "write/convert.h"

/* ---- continue tokens ---- */

struct span
list_continue_make(struct arena *a, int64_t version, struct span key)
{
	struct buf b = BUF_INIT, coded = BUF_INIT;
	struct span token;

	buf_addf(&b,
	    "{\"v\":\"meta.k8s.io/v1\",\"rv\":%" PRId64 ",\"start\":", version);
	json_add_string(&b, key);
	/* The next possible key behind that one: a zero byte more. */
	buf_truncate(&b, b.len - 1);
	buf_adds(&b, "\\u0000\"}");
	base64_add_url(&coded, buf_span(&b));
	token = tree_keep(a, &coded);
	buf_release(&b);
	return token;
}

static struct problem *
invalid(struct arena *a, const char *what, struct span detail)
{
	return problem_bad_request(a,
	    "invalid continue token: continue key is not valid%s%.*s", what,
	    SPAN_ARG(detail));
}

/* Like path.Clean would leave it: no empty, "." or ".." segment. */
static bool
is_clean(struct span key)
{
	size_t start = 0;

	if (key.n > 0 && *key.p == '/')
		start = 1;
	for (size_t i = start; i <= key.n; i++) {
		struct span part;

		if (i < key.n && key.p[i] != '/')
			continue;
		part = span_make(key.p + start, i - start);
		if (part.n == 0 || span_is(part, ".") || span_is(part, ".."))
			return false;
		start = i + 1;
	}
	return true;
}

/* A member of a wrong type, as json.Unmarshal says it; none: fine. */
static struct span
wrong_type(struct arena *a, const struct node *n)
{
	static const struct {
		const char *name, *type;
		enum node_kind kind;
	} fields[] = {{"v", "string", NODE_STRING},
	    {"rv", "int64", NODE_NUMBER}, {"start", "string", NODE_STRING}};

	if (tree_is(n, NODE_NULL))
		return SPAN_NONE;
	if (!tree_is(n, NODE_OBJECT))
		return gotext_type_error(a, n, "storage.continueToken");
	for (size_t i = 0; i < 3; i++) {
		const struct node *v = tree_get(n, fields[i].name);

		if (v != NULL && !tree_is(v, NODE_NULL) &&
		    !tree_is(v, fields[i].kind))
			return arena_printf(a,
			    "json: cannot unmarshal %s into Go struct field "
			    "continueToken.%s of type %s",
			    gotext_kind(v), fields[i].name, fields[i].type);
	}
	return SPAN_NONE;
}

/* False: *bad is where Go says that it stopped. */
static bool
decode(struct arena *a, struct span token, struct span *text, size_t *bad)
{
	struct buf b = BUF_INIT;
	int code = base64_decode_url(token, &b, bad);

	*text = tree_keep(a, &b);
	return code == 0;
}

struct problem *
list_continue_parse(
    struct arena *a, struct span token, int64_t *version, struct span *key)
{
	struct span text, said, v;
	struct node *n;
	size_t bad;

	if (!decode(a, token, &text, &bad))
		return invalid(a, ": ",
		    arena_printf(
			a, "illegal base64 data at input byte %zu", bad));
	said = gotext_json_error(a, text);
	if (said.p != NULL)
		return invalid(a, ": ", said);
	n = tree_parse(a, text, TREE_LIMITS, NULL, NULL);
	said = wrong_type(a, n);
	if (said.p != NULL)
		return invalid(a, ": ", said);
	v = tree_text(tree_get(n, "v"));
	if (!span_is(v, "meta.k8s.io/v1"))
		return invalid(
		    a, ": server does not recognize this encoded version ", v);
	if (!tree_get_int(tree_get(n, "rv"), version) || *version == 0)
		return invalid(a,
		    ": incorrect encoded start resourceVersion (version "
		    "meta.k8s.io/v1)",
		    SPAN_NONE);
	*key = tree_text(tree_get(n, "start"));
	if (key->n == 0)
		return invalid(a,
		    ": encoded start key empty (version meta.k8s.io/v1)",
		    SPAN_NONE);
	if (!is_clean(*key))
		return invalid(a, ": ", *key);
	if (*key->p == '/')
		*key = span_skip(*key, 1);
	if (key->n > 0 && key->p[key->n - 1] == '\0')
		key->n--;
	return NULL;
}

static const char expired[] =
    "The resourceVersion for the provided list is too old.";
static const char continue_expired[] =
    "The provided continue parameter is too old to display a consistent list "
    "result. You can start a new list without the continue parameter, or use "
    "the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent "
    "list - objects that were created, modified, or deleted between the time "
    "the first chunk was returned and now may show up in the list.";

/* ---- one object ---- */

struct span
list_stored_as(
    struct arena *a, const struct resource *r, const struct stored *o)
{
	struct span json = text_span(o->json);
	struct buf b = BUF_INIT;
	struct node *n;

	if (r->storage)
		return json;
	n = convert_read(a, r, o);
	tree_write(&b, n);
	return tree_keep(a, &b);
}

void
list_serve_get(struct request *r)
{
	uint64_t version, now = store_version(r->api->store);
	struct problem *p;
	struct stored *o;
	struct span json;

	if (request_flag(r, "export")) {
		reply_problem(r,
		    problem_bad_request(&r->arena,
			"the export parameter, deprecated since v1.14, is no "
			"longer supported"));
		return;
	}
	p = list_version_parse(
	    r, request_param(r, "resourceVersion"), &version);
	if (p == NULL && version > now)
		p = list_version_too_large(r, version, now);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	o = store_get(r->resource->collection, r->namespace_, r->name);
	if (o == NULL) {
		reply_problem(
		    r, problem_not_found(&r->arena, r->resource, r->name));
		return;
	}
	json = list_stored_as(&r->arena, r->resource, o);
	r->result_version = o->version;
	p = table_answer(r, &json);
	if (p != NULL)
		reply_problem(r, p);
	else
		reply_json(r, 200, json);
}

/* ---- lists ---- */

/* Objects one after the other, as they are now or as they were. */
struct walk {
	const struct collection *c;
	struct span namespace_;
	struct span after;   /* key before the first object */
	struct stored **all; /* in an old version; NULL: the present */
	size_t count, next;
};

static bool
walk_start(struct walk *w, uint64_t version)
{
	const struct store_change *changes;
	size_t n, low = 0, high;

	if (store_since(w->c, version, &changes, &n) != 0)
		return false;
	if (n == 0)
		return true;
	w->all = store_at(w->c, version, w->namespace_, &w->count);
	high = w->all == NULL ? 0 : w->count;
	while (w->after.p != NULL && low < high) {
		size_t mid = low + (high - low) / 2;

		if (span_cmp(w->all[mid]->key, w->after) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	w->next = low;
	return w->all != NULL;
}

static struct stored *
walk_next(struct walk *w)
{
	struct stored *o;

	if (w->all != NULL)
		return w->next < w->count ? w->all[w->next++] : NULL;
	o = store_next(w->c, w->namespace_, w->after);
	if (o != NULL)
		w->after = o->key;
	return o;
}

/* A LIST request as parsed. */
struct listing {
	struct list_options options;
	struct table_form form;
	uint64_t version; /* to show; 0: the latest */
	bool continued;
	struct span after; /* key of the last object of the page before */
};

static struct problem *
listing_version(struct request *r, struct listing *l)
{
	const struct list_options *o = &l->options;
	uint64_t asked = 0, now = store_version(r->api->store);
	struct problem *p;

	p = list_version_parse(r, o->version, &asked);
	if (p != NULL)
		return problem_bad_request(&r->arena,
		    "invalid resource version: %.*s", SPAN_ARG(p->message));
	if (asked > now)
		return list_version_too_large(r, asked, now);
	if (span_is(o->match, "Exact") ||
	    (o->match.n == 0 && o->limit > 0 && asked > 0))
		l->version = asked;
	return NULL;
}

static struct problem *
listing_continue(struct request *r, struct listing *l)
{
	uint64_t now = store_version(r->api->store);
	struct problem *p;
	int64_t version;
	struct span key;

	p = list_continue_parse(
	    &r->arena, l->options.continue_, &version, &key);
	if (p != NULL)
		return p;
	if (l->options.version.n > 0 && !span_is(l->options.version, "0"))
		return problem_bad_request(&r->arena,
		    "specifying resource version is not allowed when using "
		    "continue");
	if (version > 0 && (uint64_t)version > now)
		return list_version_too_large(r, (uint64_t)version, now);
	l->version = version > 0 ? (uint64_t)version : 0;
	l->after = key;
	l->continued = true;
	if (r->namespace_.n > 0)
		l->after = arena_printf(&r->arena, "%.*s/%.*s",
		    SPAN_ARG(r->namespace_), SPAN_ARG(key));
	return NULL;
}

static struct problem *
listing_make(struct request *r, struct listing *l)
{
	struct problem *p = table_form_of(r, &l->form);

	*l = (struct listing){.form = l->form};
	if (p == NULL)
		p = list_options(r, &l->options);
	if (p != NULL)
		return p;
	/* From its cache, without a version to keep to, the server gives
	 * everything at once. */
	if (l->options.limit < 0 || span_is(l->options.version, "0"))
		l->options.limit = 0;
	p = l->options.continue_.n > 0 ? listing_continue(r, l)
				       : listing_version(r, l);
	/* The fault "stale": the list at an older version. */
	if (p == NULL && r->stale > 0 && l->version == 0 &&
	    r->stale < store_version(r->api->store))
		l->version = store_version(r->api->store) - r->stale;
	return p;
}

static struct span
in_namespace(const struct request *r, struct span key)
{
	size_t skip = r->namespace_.n > 0 ? r->namespace_.n + 1 : 0;

	return span_skip(key, skip);
}

static struct problem *
too_old(struct request *r, const struct listing *l)
{
	struct problem *p =
	    problem_gone(&r->arena, l->continued ? continue_expired : expired);

	if (l->continued)
		p->continue_ = list_continue_make(
		    &r->arena, -1, in_namespace(r, l->after));
	return p;
}

/* A page, chosen before anything is written: what metadata says comes first
 * in the answer. */
struct page {
	struct stored **objects; /* in the arena, borrowed */
	size_t n;
	bool more;
	size_t left; /* behind the page, if nothing was selected */
};

static void
page_add(struct request *r, struct page *page, struct stored *o)
{
	page->objects = arena_more(
	    &r->arena, page->objects, page->n, sizeof(struct stored *));
	page->objects[page->n++] = o;
}

static void
page_fill(struct request *r, struct walk *w, const struct listing *l,
    struct page *page)
{
	const struct selection *s = &l->options.selection;
	bool all = selection_is_empty(s);
	struct stored *o;

	/* A single object: kubectl get NAME -w, and every wait for one. */
	if (w->all == NULL && s->name.p != NULL &&
	    (r->namespace_.n > 0 || !r->resource->namespaced)) {
		o = store_get(w->c, r->namespace_, s->name);
		if (o != NULL && selection_matches(s, o))
			page_add(r, page, o);
		return;
	}
	while ((o = walk_next(w)) != NULL) {
		if (l->options.limit > 0 &&
		    page->n >= (size_t)l->options.limit) {
			page->more = true;
			page->left++;
			if (!all)
				return;
		} else if (all || selection_matches(s, o))
			page_add(r, page, o);
	}
}

static struct span
list_metadata(struct request *r, const struct listing *l,
    const struct page *page, uint64_t version)
{
	bool custom = r->resource->crd != NULL && l->form.as == AS_OBJECT;
	struct span token = SPAN_NONE;
	struct buf b = BUF_INIT;

	if (page->more)
		token = list_continue_make(&r->arena, (int64_t)version,
		    in_namespace(r, page->objects[page->n - 1]->key));
	buf_addf(&b, "{\"resourceVersion\":\"%" PRIu64 "\"", version);
	/* Lists of custom resources have an empty "continue" when they are
	 * complete. */
	if (page->more || custom)
		buf_addf(&b, ",\"continue\":\"%.*s\"", SPAN_ARG(token));
	if (page->more && selection_is_empty(&l->options.selection))
		buf_addf(&b, ",\"remainingItemCount\":%zu", page->left);
	buf_addc(&b, '}');
	return tree_keep(&r->arena, &b);
}

struct problem *
list_write(
    struct request *r, struct buf *b, struct stored ***objects, size_t *count)
{
	uint64_t now = store_version(r->api->store), version;
	struct walk w = {
	    .c = r->resource->collection, .namespace_ = r->namespace_};
	struct page page = {0};
	struct listing l;
	struct problem *p = listing_make(r, &l);
	struct span metadata;

	if (p != NULL)
		return p;
	version = l.version > 0 ? l.version : now;
	w.after = l.after;
	if (!walk_start(&w, version))
		return too_old(r, &l);
	page_fill(r, &w, &l, &page);
	metadata = list_metadata(r, &l, &page, version);
	table_list_begin(b, r->resource, &l.form, metadata);
	for (size_t i = 0; i < page.n; i++)
		table_list_item(b, r->resource, &l.form,
		    list_stored_as(&r->arena, r->resource, page.objects[i]));
	table_list_end(b, r->resource, &l.form, metadata);
	r->result_version = version;
	if (objects != NULL) {
		*objects = page.objects;
		*count = page.n;
		for (size_t i = 0; i < page.n; i++)
			store_ref(page.objects[i]);
	}
	store_release_all(w.all, w.count);
	return NULL;
}

void
list_serve(struct request *r)
{
	struct buf b = BUF_INIT;
	struct problem *p = list_write(r, &b, NULL, NULL);

	if (p != NULL)
		reply_problem(r, p);
	else
		reply_json(r, 200, buf_span(&b));
	buf_release(&b);
}
