/*
 * Part of write/write.h: from text that a client sent to an object of its
 * type.
 */
#include "text/gotext.h"
#include "type/default.h"
#include "write/write.h"

#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "builtin/builtin.h"
#include "crd/crd.h"
#include "value/objref.h"

static const char scheme[] = "pkg/runtime/scheme.go:111";

/* The kind that the URL exchanges: the resource's, or the subresource's. */
struct expected {
	struct span group, version, kind;
};

static struct expected
expected(const struct write *w)
{
	const struct resource *r = w->resource;
	struct expected e = {r->group, r->version, r->kind};

	for (size_t i = 0; w->subresource.n > 0 && i < r->subresource_count;
	     i++) {
		const struct subresource *s = &r->subresources[i];

		if (!span_eq(s->name, w->subresource) || s->kind.n == 0)
			continue;
		if (s->version.n > 0) {
			e.group = s->group;
			e.version = s->version;
		}
		e.kind = s->kind;
	}
	return e;
}

static struct span
api_version(struct arena *a, struct expected e)
{
	if (e.group.n == 0)
		return e.version;
	return arena_printf(
	    a, "%.*s/%.*s", SPAN_ARG(e.group), SPAN_ARG(e.version));
}

/* 400: "KIND in version "V" cannot be handled as a KIND: ...". For what a
 * patch made: 422, quoting it. */
static struct problem *
cannot_handle(struct write *w, const struct decoding *how, struct span kind,
    struct span version, struct span why)
{
	struct causes c = {w->arena, NULL, 0};

	if (how->patched.p != NULL) {
		cause_invalid_text(&c, span_str("patch"), how->patched,
		    arena_str(w->arena, why));
		return problem_invalid_kind(
		    w->arena, span_str(""), span_str(""), span_str(""), &c);
	}
	return problem_bad_request(w->arena,
	    "%.*s in version %.*s cannot be handled as a %.*s: %.*s",
	    SPAN_ARG(kind), SPAN_ARG(gotext_quote(w->arena, version)),
	    SPAN_ARG(expected(w).kind), SPAN_ARG(why));
}

static struct span
go_package(struct span group)
{
	const char *dot = span_find(group, '.');

	if (group.n == 0)
		return span_str("core");
	return dot == NULL ? group
			   : span_make(group.p, (size_t)(dot - group.p));
}

/* Checks apiVersion and kind of a built-in kind against those of the URL. */
static struct problem *
check_known(struct write *w, const struct decoding *how, struct span api,
    struct span kind)
{
	struct expected e = expected(w);
	struct span group, version, want = api_version(w->arena, e);

	if (span_eq(api, want) && span_eq(kind, e.kind))
		return NULL;
	objref_split(api, &group, &version);
	if (resource_find_kind(w->api->registry, group, version, kind) == NULL)
		return cannot_handle(w, how, kind, version,
		    arena_printf(w->arena,
			"no kind %.*s is registered for version %.*s in "
			"scheme \"%s\"",
			SPAN_ARG(gotext_quote(w->arena, kind)),
			SPAN_ARG(gotext_quote(w->arena, api)), scheme));
	if (span_eq(group, e.group) && span_eq(kind, e.kind))
		return problem_bad_request(w->arena,
		    "the API version in the data (%.*s) does not match the "
		    "expected API version (%.*s)",
		    SPAN_ARG(api), SPAN_ARG(want));
	return cannot_handle(w, how, kind, version,
	    arena_printf(w->arena,
		"converting (%.*s.%.*s) to (%.*s.%.*s): unknown conversion",
		SPAN_ARG(version), SPAN_ARG(kind),
		SPAN_ARG(go_package(e.group)), SPAN_ARG(e.kind)));
}

struct problem *
write_check_builtin_type(
    struct write *w, struct node *object, const struct decoding *how)
{
	struct expected e = expected(w);
	struct span api = tree_text(tree_get(object, "apiVersion"));
	struct span kind = tree_text(tree_get(object, "kind"));
	struct problem *p;

	if (api.n == 0)
		api = api_version(w->arena, e);
	if (kind.n == 0)
		kind = e.kind;
	p = check_known(w, how, api, kind);
	tree_put_first(
	    w->arena, object, "apiVersion", tree_string(w->arena, api));
	tree_put_first(w->arena, object, "kind", tree_string(w->arena, kind));
	return p;
}

struct problem *
write_check_custom_type(
    struct write *w, struct node *object, const struct decoding *how)
{
	struct span want = w->resource->api_version;
	struct span api = tree_text(tree_get(object, "apiVersion"));

	/* If a patch made the wrong apiVersion, the validation refuses it
	 * later. */
	if (span_eq(api, want) || how->patched.p != NULL)
		return NULL;
	return problem_bad_request(w->arena,
	    "the API version in the data (%.*s) does not match the "
	    "expected API version (%.*s)",
	    SPAN_ARG(api), SPAN_ARG(want));
}

struct problem *
write_decode_fields(
    struct write *w, struct node *object, struct warnings *strict)
{
	return w->resource->strategy->steps->decode(
	    w->arena, w->resource, object, strict, false);
}

static struct span
strict_error(struct arena *a, const struct warnings *strict)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "strict decoding error: ");
	for (size_t i = 0; i < strict->n; i++) {
		buf_adds(&b, i == 0 ? "" : ", ");
		buf_addspan(&b, strict->items[i]);
	}
	return tree_keep(a, &b);
}

struct problem *
write_decode(struct write *w, struct node *object, const struct decoding *how)
{
	struct warnings own = {w->arena, NULL, 0};
	struct warnings *strict = how->strict == NULL ? &own : how->strict;
	struct problem *p =
	    w->resource->strategy->steps->check_type(w, object, how);
	struct span kind = tree_text(tree_get(object, "kind"));
	struct span version = w->resource->version;

	if (p != NULL)
		return p;
	p = w->resource->strategy->steps->decode(
	    w->arena, w->resource, object, strict, how->strategic);
	if (p != NULL) {
		if (memmem(p->message.p, p->message.n, "cannot be handled",
			17) != NULL &&
		    how->patched.p == NULL)
			return p;
		return cannot_handle(w, how, kind, version, p->message);
	}
	if (strict->n == 0 || w->validation == VALIDATE_IGNORE)
		return NULL;
	if (w->validation == VALIDATE_STRICT)
		return cannot_handle(
		    w, how, kind, version, strict_error(w->arena, strict));
	for (size_t i = 0; i < strict->n; i++)
		decode_warning_add(w->warnings, strict->items[i]);
	return NULL;
}

struct problem *
write_check_namespace(struct write *w, struct node *object)
{
	struct node *m = tree_make(w->arena, object, "metadata");
	struct span has = tree_text(tree_get(m, "namespace"));
	struct span want = w->resource->namespaced ? w->namespace_ : SPAN_NONE;

	if (span_eq(has, want))
		return NULL;
	if (want.n == 0) {
		tree_remove(m, "namespace");
		return NULL;
	}
	if (has.n > 0)
		return problem_bad_request(w->arena,
		    "the namespace of the provided object does not match the "
		    "namespace sent on the request");
	tree_put(w->arena, m, "namespace", tree_string(w->arena, want));
	return NULL;
}

struct problem *
write_check_name(struct write *w, const struct node *object)
{
	struct span name = tree_path_text(object, "metadata.name");

	if (name.n == 0)
		return problem_bad_request(w->arena,
		    "the name of the object (%.*s based on URL) was "
		    "undeterminable: name must be provided",
		    SPAN_ARG(w->name));
	if (!span_eq(name, w->name))
		return problem_bad_request(w->arena,
		    "the name of the object (%.*s) does not match the name on "
		    "the URL (%.*s)",
		    SPAN_ARG(name), SPAN_ARG(w->name));
	return NULL;
}

/* Equal owners have an equal text. */
static struct span
owner_text(struct arena *a, const struct node *owner)
{
	static const char *const keys[] = {"apiVersion", "kind", "name", "uid",
	    "controller", "blockOwnerDeletion"};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct node *value = tree_get(owner, keys[i]);

		if (value != NULL)
			tree_write(&b, value);
		buf_addc(&b, ',');
	}
	return tree_keep(a, &b);
}

void
write_dedup_owners(struct write *w, struct node *object, bool mutated)
{
	struct node *owners = tree_path(object, "metadata.ownerReferences");
	struct map seen = MAP_INIT;
	struct buf said = BUF_INIT;
	uint32_t kept = 0;

	for (size_t i = 0; tree_count(owners) > 1 && i < owners->n; i++) {
		struct node *owner = owners->items[i];

		if (map_put(&seen, owner_text(w->arena, owner), owner) ==
		    NULL) {
			owners->items[kept++] = owner;
			continue;
		}
		buf_adds(&said, said.len == 0 ? "" : ", ");
		buf_addspan(&said, tree_text(tree_get(owner, "uid")));
	}
	map_release(&seen);
	if (said.len > 0) {
		owners->n = kept;
		decode_warning_add(w->warnings,
		    arena_printf(w->arena,
			".metadata.ownerReferences contains duplicate entries"
			"%s; API server dedups owner references in 1.20+, and "
			"may reject such requests as early as 1.24; please fix "
			"your requests; duplicate UID(s) observed: %s",
			mutated ? " after mutating admission happens" : "",
			buf_str(&said)));
	}
	buf_release(&said);
}
