#include "request/request.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "request/users.h"

/* Requests kept for the next, each with a small block; a thousand watches may
 * end at once. Above LARGE bytes, memory goes back to the system. */
enum { SPARES_MAX = 64, LARGE = 16 << 20 };

enum { PARTS_MAX = 16 };

const char *
request_verb_name(enum verb v)
{
	static const char *const names[] = {"get", "list", "watch", "create",
	    "update", "patch", "delete", "deletecollection", ""};

	return names[v];
}

struct request *
request_new(
    struct api *api, struct exchange *x, const struct httpd_request *http)
{
	struct request *r = api->spare;
	struct arena arena = ARENA_INIT;

	if (r == NULL) {
		r = mem_alloc(sizeof *r);
	} else {
		api->spare = r->next_spare;
		api->spares--;
		arena = r->arena;
	}
	memset(r, 0, sizeof *r);
	r->arena = arena;
	r->api = api;
	r->exchange = x;
	r->http = http;
	r->number = ++api->requests;
	r->verb = REQUEST_OTHER;
	r->user = span_str("");
	r->field_manager = span_str("");
	r->user_agent = httpd_header(http, "user-agent");
	return r;
}

void
request_free(struct request *r)
{
	struct api *api = r->api;

	bool large = r->arena.total > LARGE;

	if (api->spares < SPARES_MAX) {
		arena_reset(&r->arena);
		r->next_spare = api->spare;
		api->spare = r;
		api->spares++;
	} else {
		arena_release(&r->arena);
		free(r);
	}
	if (large)
		malloc_trim(0); /* else its blocks stay, in between others */
}

static int
hex_digit(char c)
{
	if (span_is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

struct span
request_decode(struct arena *a, struct span s, bool plus_is_space)
{
	char *p, *out;
	bool any = span_find(s, '%') != NULL ||
	    (plus_is_space && span_find(s, '+') != NULL);

	if (!any)
		return s;
	p = out = arena_alloc(a, s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		int high, low;

		if (s.p[i] == '+' && plus_is_space) {
			*out++ = ' ';
			continue;
		}
		if (s.p[i] != '%') {
			*out++ = s.p[i];
			continue;
		}
		if (i + 2 >= s.n)
			return SPAN_NONE;
		high = hex_digit(s.p[i + 1]);
		low = hex_digit(s.p[i + 2]);
		if (high < 0 || low < 0)
			return SPAN_NONE;
		*out++ = (char)(high * 16 + low);
		i += 2;
	}
	*out = '\0';
	return span_make(p, (size_t)(out - p));
}

/* The next key=value of a query; false at its end. Pairs that Go's url.Query
 * drops (a ';' inside) are passed over. */
static bool
next_pair(struct span *query, struct span *key, struct span *value)
{
	while (query->n > 0) {
		struct span pair = span_cut(query, '&');

		if (pair.n == 0 || span_find(pair, ';') != NULL)
			continue;
		*key = span_cut(&pair, '=');
		*value = pair.p == NULL ? span_str("") : pair;
		return true;
	}
	return false;
}

size_t
request_params(
    const struct request *r, const char *name, struct span *values, size_t max)
{
	/* r is const but for its arena. */
	struct arena *a = (struct arena *)&r->arena;
	struct span query = r->http->query, key, value;
	size_t n = 0;

	while (n < max && next_pair(&query, &key, &value)) {
		key = request_decode(a, key, true);
		if (!span_is(key, name))
			continue;
		value = request_decode(a, value, true);
		if (value.p != NULL)
			values[n++] = value;
	}
	return n;
}

struct span
request_param(const struct request *r, const char *name)
{
	struct span value;

	return request_params(r, name, &value, 1) == 1 ? value : SPAN_NONE;
}

bool
request_flag(const struct request *r, const char *name)
{
	struct span v = request_param(r, name);

	return v.p != NULL && !span_is_caseless(v, "false") && !span_is(v, "0");
}

static enum verb
verb_of(struct span method)
{
	if (span_is(method, "GET") || span_is(method, "HEAD"))
		return REQUEST_GET;
	if (span_is(method, "POST"))
		return REQUEST_CREATE;
	if (span_is(method, "PUT"))
		return REQUEST_UPDATE;
	if (span_is(method, "PATCH"))
		return REQUEST_PATCH;
	return span_is(method, "DELETE") ? REQUEST_DELETE : REQUEST_OTHER;
}

/* Segments without the slashes at both ends; -1: too many to be anything. */
static int
split(struct span path, struct span parts[PARTS_MAX])
{
	int n = 0;

	while (path.n > 0 && path.p[0] == '/')
		path = span_skip(path, 1);
	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	while (path.n > 0) {
		if (n == PARTS_MAX)
			return -1;
		parts[n++] = span_cut(&path, '/');
	}
	return n;
}

/* Reads the parts of the path after the version. */
static void
parse_resource(struct request *r, const struct span *parts, int n)
{
	bool watch = n > 1 && span_is(parts[0], "watch");

	if (watch) {
		parts++;
		n--;
	}
	r->verb = verb_of(r->http->method);
	if (span_is(parts[0], "namespaces") && n > 1) {
		r->namespace_ = parts[1];
		if (n > 2 && !span_is(parts[2], "status") &&
		    !span_is(parts[2], "finalize")) {
			parts += 2;
			n -= 2;
		}
	}
	r->plural = parts[0];
	r->name = n > 1 ? parts[1] : SPAN_NONE;
	r->subresource = n > 2 ? parts[2] : span_str("");
	/* Namespaces are in no namespace, although requestinfo.go says so. */
	if (r->group.n == 0 && span_is(r->plural, "namespaces"))
		r->namespace_ = SPAN_NONE;
	/* The rest is the path of another server. */
	r->extra_parts = n > 3 && !span_is(r->subresource, "proxy");
	if (r->verb == REQUEST_GET && (watch || r->name.n == 0))
		r->verb = watch || request_flag(r, "watch") ? REQUEST_WATCH
							    : REQUEST_LIST;
	else if (r->verb == REQUEST_DELETE && r->name.n == 0)
		r->verb = REQUEST_DELETECOLLECTION;
}

bool
request_parse(struct request *r)
{
	struct span parts[PARTS_MAX];
	struct span path = request_decode(&r->arena, r->http->path, false);
	int n, skip;

	if (path.p == NULL)
		return false;
	r->path = path;
	n = split(path, parts);
	if (n < 3)
		return true;
	if (span_is(parts[0], "api")) {
		skip = 2;
		r->group = span_str("");
	} else if (span_is(parts[0], "apis") && n > 3) {
		skip = 3;
		r->group = parts[1];
	} else {
		return true;
	}
	r->version = parts[skip - 1];
	r->on_resource = true;
	parse_resource(r, parts + skip, n - skip);
	return true;
}
