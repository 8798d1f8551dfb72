#include "type/hookclient.h"

#include "type/names.h"

#define FORM "; desired format: https://host[/path]"

static struct span
below(struct causes *c, struct span path, const char *field)
{
	return cause_path_field(c->arena, path, span_str(field));
}

/* ---- url ---- */

/* Cuts mark and what is behind it off; returns that, or none. */
static struct span
cut_end(struct span *s, char mark)
{
	const char *at = span_find(*s, mark);
	struct span end = SPAN_NONE;

	if (at == NULL)
		return end;
	end = span_skip(*s, (size_t)(at - s->p) + 1);
	s->n = (size_t)(at - s->p);
	return end;
}

static struct span
cut_scheme(struct span *url)
{
	struct span scheme = *url;

	for (scheme.n = 0; scheme.n < url->n; scheme.n++)
		if (!span_is_alnum(url->p[scheme.n]) &&
		    !span_is_among(url->p[scheme.n], "+-."))
			break;
	if (scheme.n == 0 || scheme.n == url->n || url->p[scheme.n] != ':' ||
	    span_is_digit(*url->p))
		return span_str("");
	*url = span_skip(*url, scheme.n + 1);
	return scheme;
}

static void
check_url(struct causes *c, struct span at, struct span url)
{
	struct span fragment = cut_end(&url, '#');
	struct span scheme = cut_scheme(&url);
	struct span query = cut_end(&url, '?');
	struct span user = SPAN_NONE, host = span_str("");
	const char *end;

	if (span_take(&url, "//")) {
		host = span_cut(&url, '/');
		end = span_find_last(host, '@');
		if (end != NULL) {
			user = span_make(host.p, (size_t)(end - host.p));
			host = span_skip(host, user.n + 1);
		}
	}
	if (!span_is_caseless(scheme, "https"))
		cause_invalid_text(c, at, arena_lower(c->arena, scheme),
		    "'https' is the only allowed URL scheme" FORM);
	if (host.n == 0)
		cause_invalid_text(c, at, host, "host must be specified" FORM);
	if (user.p != NULL)
		cause_invalid_text(c, at, user,
		    "user information is not permitted in the URL");
	if (fragment.n > 0)
		cause_invalid_text(
		    c, at, fragment, "fragments are not permitted in the URL");
	if (query.n > 0)
		cause_invalid_text(c, at, query,
		    "query parameters are not permitted in the URL");
}

/* ---- service ---- */

static void
check_segment(struct causes *c, struct span at, struct span path,
    struct span segment, size_t i)
{
	const char *wrong = segment.n == 0 ? " may not be empty"
					   : name_check_subdomain(segment);

	if (wrong != NULL)
		cause_invalid_text(c, at, path,
		    arena_printf(c->arena, "segment[%zu]%s%s", i,
			segment.n == 0 ? "" : ": ", wrong)
			.p);
}

static void
check_path(struct causes *c, struct span at, struct span path)
{
	struct span rest = path;

	if (path.n == 0 || span_is(path, "/"))
		return;
	if (span_is(path, "//")) {
		cause_invalid_text(c, at, path, "segment[0] may not be empty");
		return;
	}
	if (*path.p != '/')
		cause_invalid_text(c, at, path, "must start with a '/'");
	rest = span_skip(rest, 1);
	rest.n -= span_ends(rest, "/");
	for (size_t i = 0; rest.p != NULL; i++)
		check_segment(c, at, path, span_cut(&rest, '/'), i);
}

static void
check_service(struct causes *c, struct span at, const struct node *service)
{
	const struct node *port = tree_get(service, "port");
	int64_t n;

	/* The real server takes the one for the other. */
	if (tree_path_text(service, "namespace").n == 0)
		cause_required(c, below(c, at, "name"), "");
	if (tree_path_text(service, "name").n == 0)
		cause_required(c, below(c, at, "namespace"), "");
	if (tree_get_int(port, &n) && (n < 1 || n > 65535))
		cause_invalid(c, below(c, at, "port"), port,
		    "port is not valid: must be between 1 and 65535, "
		    "inclusive");
	check_path(c, below(c, at, "path"), tree_path_text(service, "path"));
}

void
hookclient_check(struct causes *c, struct span path, const struct node *client)
{
	const struct node *url = tree_get(client, "url");
	const struct node *service = tree_get(client, "service");
	bool by_url = tree_is(url, NODE_STRING);
	bool by_service = tree_is(service, NODE_OBJECT);

	if (by_url == by_service)
		cause_required(
		    c, path, "exactly one of url or service is required");
	else if (by_url)
		check_url(c, below(c, path, "url"), tree_text(url));
	else
		check_service(c, below(c, path, "service"), service);
}
