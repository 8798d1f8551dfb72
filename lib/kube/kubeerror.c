#include "kube/kubeerror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/scrub.h"
#include "value/datakind.h"
#include "value/godump.h"

/* ---- texts whose words are known, and whose values are not ---- */

/* Each function returns the text behind what it has read. */

/* A text as Go's %q writes it; s if there is none. */
static const char *
skip_quoted(const char *s)
{
	const char *at = s;

	if (*at != '"')
		return s;
	for (at++; *at != '\0' && *at != '"'; at++)
		if (*at == '\\' && at[1] != '\0')
			at++;
	return *at == '"' ? at + 1 : s;
}

/* NULL: s does not begin with text. */
static const char *
skip_text(const char *s, const char *text)
{
	size_t n = strlen(text);

	return strncmp(s, text, n) == 0 ? s + n : NULL;
}

/* NULL: not what the pattern means; * is a run of name's characters: no quote,
 * bracket, colon or space, so no value can be in it. */
static const char *
skip_pattern(const char *s, const char *pattern)
{
	for (; *pattern != '\0'; pattern++)
		if (*pattern == '*')
			s += strspn(s,
			    "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-");
		else if (*s++ != *pattern)
			return NULL;
	return s;
}

enum { TEXT_MAX = 4096, PUBLIC_MAX = 1024, TAIL_MAX = 256 };

static char *
take_string(struct span value)
{
	struct buf scratch = BUF_INIT;
	struct span s = json_string(value, &scratch);
	char *text = s.p != NULL && s.n > 0 ? mem_dup(s.p, s.n) : NULL;

	buf_release(&scratch);
	return text;
}

static bool
has_cause(const struct kube_error *e, const char *reason)
{
	return e->causes != NULL &&
	    json_find(span_str(e->causes), "reason", reason).p != NULL;
}

static void
read_status(struct kube_error *e, struct span body)
{
	struct span details = json_get(body, "details");
	struct span causes = json_get(details, "causes");
	char *reason = take_string(json_get(body, "reason"));
	int64_t n;

	if (reason != NULL) {
		snprintf(e->reason, sizeof(e->reason), "%s", reason);
		free(reason);
	}
	e->message = take_string(json_get(body, "message"));
	e->details_kind = take_string(json_get(details, "kind"));
	if (json_type(causes) == JSON_ARRAY)
		e->causes = mem_dup(causes.p, causes.n);
	if (json_int(json_get(details, "retryAfterSeconds"), &n) && n > 0 &&
	    n < 86400)
		e->retry_after_ms = n * 1000;
	if (e->code == 0 && json_int(json_get(body, "code"), &n) && n > 0 &&
	    n < 1000)
		e->code = (int)n;
}

/* 404 page not found, the words of a proxy, an HTML page. */
static void
read_text(struct kube_error *e, struct span body)
{
	struct buf b = BUF_INIT;

	if (body.n > TEXT_MAX)
		body.n = TEXT_MAX;
	while (body.n > 0 && strchr(" \r\n\t", body.p[body.n - 1]) != NULL)
		body.n--;
	if (body.n == 0)
		return;
	buf_addspan(&b, body);
	e->message = buf_take(&b);
}

/* The text after [RESOURCE ["NAME"] is ]forbidden: (apimachinery's
 * NewForbidden), or NULL. */
static const char *
after_forbidden(const char *message)
{
	const char *at = skip_text(message, "forbidden: ");

	if (at != NULL)
		return at;
	at =
	    message + strspn(message, "abcdefghijklmnopqrstuvwxyz0123456789.-");
	if (at > message && at[0] == ' ' && at[1] == '"')
		at = skip_quoted(at + 1);
	return at > message ? skip_text(at, " is forbidden: ") : NULL;
}

/*
 * User "USER" cannot VERB ...: what the authorizer says, from User on, or NULL
 * (apiserver's responsewriters, in ForbiddenStatusError). Quotas, policies and
 * admission plugins have other words in that place, and the webhooks' none of
 * this.
 */
static const char *
authorizer_says(const char *message)
{
	const char *at = after_forbidden(message), *user;

	user = at != NULL ? skip_text(at, "User ") : NULL;
	if (user == NULL || skip_text(skip_quoted(user), " cannot ") == NULL)
		return NULL;
	return at;
}

/* Reasons first, then codes: apimachinery's api/errors. */
static enum err_kind
classify(const struct kube_error *e, bool is_status)
{
	switch (e->code) {
	case 403:
		return e->namespace_terminating ? ERR_TRANSIENT : ERR_PERMANENT;
	case 404:
	case 410:
		return ERR_GONE;
	case 409:
		return ERR_CONFLICT;
	case 408:
	case 425:
	case 429:
		return ERR_TRANSIENT;
	case 500:
		/* Server-side apply answers so when a field is not in the
		 * schema, or a list has a key twice. */
		return is_status && *e->reason == '\0' ? ERR_PERMANENT
						       : ERR_TRANSIENT;
	default:
		return e->code >= 500 || e->code == 0 ? ERR_TRANSIENT
						      : ERR_PERMANENT;
	}
}

void
kube_error_parse(struct kube_error *e, int code, struct span body)
{
	struct span rest = body;
	struct span value = json_value(&rest);
	bool is_status = json_type(value) == JSON_OBJECT &&
	    json_is(json_get(value, "kind"), "Status");
	struct buf b = BUF_INIT;

	*e = (struct kube_error){.code = code, .retry_after_ms = -1};
	if (is_status)
		read_status(e, value);
	else
		read_text(e, body);
	if (e->message == NULL) {
		/* The server's words are often cut off: see
		 * http_easy_answered. */
		if (e->code == 413)
			buf_adds(&b, "Request entity too large");
		else
			buf_addf(&b, "HTTP status %d%s%s", e->code,
			    *e->reason ? " " : "", e->reason);
		e->message = buf_take(&b);
	}
	e->namespace_terminating =
	    e->code == 403 && has_cause(e, "NamespaceTerminating");
	e->namespace_missing = e->code == 404 && e->details_kind != NULL &&
	    strcmp(e->details_kind, "namespaces") == 0;
	e->denied = e->code == 403 && strcmp(e->reason, "Forbidden") == 0 &&
	    e->causes == NULL && authorizer_says(e->message) != NULL;
	e->field_conflict =
	    e->code == 409 && has_cause(e, "FieldManagerConflict");
	e->timed_out = e->code == 504;
	e->kind = classify(e, is_status);
}

void
kube_error_set(struct kube_error *e, const struct err *err)
{
	*e = (struct kube_error){.kind = err->kind,
	    .message = mem_strdup(err->message),
	    .retry_after_ms = -1};
}

bool
kube_error_of_outage(const struct kube_error *e)
{
	return e->kind != ERR_NONE &&
	    (e->code == 0 || e->code == 429 || e->code >= 500);
}

bool
kube_error_of_denial(const struct kube_error *e)
{
	return e->code == 401 || e->code == 403;
}

bool
kube_error_of_future(const struct kube_error *e)
{
	return e->code == 504 && e->causes != NULL &&
	    strstr(e->causes, "ResourceVersionTooLarge") != NULL;
}

void
kube_error_release(struct kube_error *e)
{
	free(e->message);
	free(e->details_kind);
	free(e->causes);
	*e = (struct kube_error){.retry_after_ms = -1};
}

void
kube_error_copy(struct kube_error *to, const struct kube_error *from)
{
	*to = *from;
	to->message = mem_strdup(from->message);
	to->details_kind = mem_strdup(from->details_kind);
	to->causes = mem_strdup(from->causes);
}

/* Runs of white space become one space, and invisible characters are escaped,
 * because texts of the server go into logs, statuses and Events. */
static void
add_line(struct buf *b, const char *text)
{
	const char *before = "";

	while (*(text += strspn(text, " \t\n\v\f\r")) != '\0') {
		size_t n = strcspn(text, " \t\n\v\f\r");

		buf_adds(b, before);
		quote_text(b, span_make(text, n));
		before = " ";
		text += n;
	}
}

static void
add_string(struct buf *b, struct span value)
{
	char *text = take_string(value);

	if (text != NULL)
		add_line(b, text);
	free(text);
}

/* Sentences of Kubernetes' own validation (apimachinery's util/validation,
 * core/validation). None of them holds a value. */
static const char *const sentences[] = {
    "must be no more than * bytes",
    "must be no more than * characters",
    "may not be more than * bytes",
    "must have at most * bytes",
    "must have at most * characters",
    "field is immutable when `immutable` is set",
    "field is immutable",
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric "
    "character",
    "a valid label must be an empty string or consist of alphanumeric "
    "characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character",
    "a valid config key must consist of alphanumeric characters, '-', '_' or "
    "'.'",
    "name part must consist of alphanumeric characters, '-', '_' or '.', and "
    "must start and end with an alphanumeric character",
    "name part must be non-empty",
    "name is neither a standard finalizer name nor is it fully qualified",
};

/* ": " and the rule that a value breaks, without the value: TYPE: SENTENCE or
 * Invalid value: "VALUE": SENTENCE (field.Error). */
static void
add_sentence(struct buf *b, const char *message)
{
	const char *at = skip_text(message, "Invalid value: "), *end;

	if (at != NULL)
		at = skip_quoted(at);
	else if ((at = skip_text(message, "Too long")) == NULL)
		at = skip_text(message, "Forbidden");
	if (at == NULL || (at = skip_text(at, ": ")) == NULL)
		return;
	for (size_t i = 0; i < COUNT(sentences); i++) {
		end = skip_pattern(at, sentences[i]);
		if (end != NULL &&
		    (*end == '\0' || skip_text(end, " (") != NULL)) {
			buf_adds(b, ": ");
			buf_addspan(b, span_make(at, (size_t)(end - at)));
			return;
		}
	}
}

/* cause type[: what is wrong]. Managers' names are not secrets. */
static void
add_cause(struct buf *b, struct span cause)
{
	struct span type = json_get(cause, "reason");
	char *message;

	if (json_is(type, "FieldManagerConflict")) {
		add_string(b, json_get(cause, "message"));
		return;
	}
	add_string(b, type);
	message = take_string(json_get(cause, "message"));
	if (message != NULL)
		add_sentence(b, message);
	free(message);
}

/* reason: field (cause), ... */
static void
add_outline(struct buf *b, const struct kube_error *e)
{
	struct json_elements list;
	const char *before = ": ";

	if (*e->reason != '\0')
		add_line(b, e->reason);
	else
		buf_addf(b, "HTTP status %d", e->code);
	if (e->causes == NULL)
		return;
	list = json_elements(span_str(e->causes));
	while (json_element(&list)) {
		buf_adds(b, before);
		before = ", ";
		add_string(b, json_get(list.value, "field"));
		buf_adds(b, " (");
		add_cause(b, list.value);
		buf_addc(b, ')');
	}
}

/* exceeded quota: NAME, requested: RESOURCE=AMOUNT, ... (the apiserver's
 * resourcequota plugin), or a namespace that is being deleted. */
static bool
space_says(const char *message)
{
	const char *at = after_forbidden(message), *quota, *end;

	if (at == NULL)
		return false;
	quota = skip_text(at, "exceeded quota: ");
	if (quota != NULL)
		return quota[strspn(quota,
			   "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789./_-=,: ")] == '\0';
	end = skip_pattern(at,
	    "unable to create new content in namespace * because it is being "
	    "terminated");
	return end != NULL && *end == '\0';
}

/* Our own messages, those about an object that is there or not, those of the
 * authorizer, of a quota, and of a namespace that goes (an admission plugin's 403
 * may have any text), and those about an unknown field, unless a value has a
 * wrong type as well. */
static bool
names_only(const struct kube_error *e)
{
	if (e->message == NULL || e->code == 0 ||
	    strcmp(e->reason, "NotFound") == 0 ||
	    strcmp(e->reason, "AlreadyExists") == 0)
		return true;
	if (strcmp(e->reason, "Forbidden") == 0)
		return e->denied || space_says(e->message);
	return e->code == 500 &&
	    strstr(e->message, ": field not declared in schema") != NULL &&
	    strstr(e->message, "expected") == NULL;
}

/*
 * [errors:
 *   ]PATH: expected TYPE, got VALUE (structured-merge-diff, typed/validate.go).
 * Where PATH and TYPE end, or NULL. Only those of the first error are certain:
 * the value may hold any text, also one that looks like the next error.
 */
static const char *
end_of_type(const char *s, const char **more)
{
	static const char *const patterns[] = {".*: expected string",
	    ".*: expected map", ".*: expected list", ".*: expected boolean",
	    ".*: expected numeric (int or float)", ".*: expected any scalar"};
	const char *several = skip_text(s, "errors:\n  "), *end;

	*more = several != NULL ? ", ..." : "";
	s = several != NULL ? several : s;
	end = skip_pattern(s, ".*: field not declared in schema");
	if (end != NULL && (*end == '\0' || *end == '\n'))
		return end;
	for (size_t i = 0; i < COUNT(patterns); i++) {
		end = skip_pattern(s, patterns[i]);
		if (end != NULL && skip_text(end, ", got ") != NULL)
			return end;
	}
	return NULL;
}

/* Where the part ends that holds no value, if the message begins with one, and
 * what stands for the rest. */
static const char *
end_of_names(const struct kube_error *e, const char **more)
{
	const char *rest;

	*more = "";
	/* Server-side apply gives no reason where an object does not fit its
	 * type. */
	if (e->message == NULL || e->code != 500 || *e->reason != '\0')
		return NULL;
	rest = skip_pattern(
	    e->message, "failed to create typed patch object (*; *, Kind=*): ");
	if (rest != NULL)
		return end_of_type(rest, more);
	/* The place in the value would follow. */
	return skip_pattern(e->message,
	    "failed to convert new object (*; *, Kind=*) to proper version: "
	    "unable to convert unstructured object to *, Kind=*: "
	    "error decoding from json: illegal base64 data");
}

static bool
add_names(struct buf *b, const struct kube_error *e)
{
	struct buf text = BUF_INIT;
	const char *more, *end = end_of_names(e, &more);

	if (end == NULL)
		return false;
	buf_addspan(&text, span_make(e->message, (size_t)(end - e->message)));
	add_line(b, buf_str(&text));
	buf_adds(b, more);
	buf_release(&text);
	return true;
}

/* In the middle: a message begins with the field, and ends with what is wrong
 * with the value between. */
static void
cut(struct buf *b, size_t start)
{
	struct span said = span_make(b->data + start, b->len - start);
	struct buf tail = BUF_INIT;
	size_t from;

	if (said.n <= PUBLIC_MAX)
		return;
	from = said.n - TAIL_MAX;
	while (from < said.n && utf8_continues(said.p[from]))
		from++;
	buf_addspan(&tail, span_make(said.p + from, said.n - from));
	buf_truncate(b, start + utf8_cut(said, PUBLIC_MAX - TAIL_MAX - 3));
	buf_adds(b, "...");
	buf_addspan(b, span_make(tail.data, tail.len));
	buf_release(&tail);
}

/* Kubernetes' validation names a field in each cause; admission has one cause
 * without, or none (apiserver's admission/plugin/policy and
 * .../webhook/errors). */
static bool
is_of_admission(const struct kube_error *e)
{
	struct json_elements list;

	if (e->message == NULL)
		return false;
	if (strncmp(e->message, "admission webhook ", 18) == 0)
		return true;
	/* Another text comes from a proxy, or from a decoder. */
	if (*e->reason == '\0' ||
	    (e->code != 403 && e->code != 422 && e->code != 500))
		return false;
	if (e->causes == NULL)
		return true;
	list = json_elements(span_str(e->causes));
	while (json_element(&list))
		if (json_get(list.value, "field").n > 0)
			return false;
	return true;
}

/*
 * The part that names the policy or the webhook has no value in it, and stays
 * readable: RESOURCE "NAME" is forbidden: ValidatingAdmissionPolicy 'NAME' with
 * binding 'NAME' denied request: ...
 */
static size_t
admission_head(const char *message)
{
	static const char *const heads[] = {
	    "ValidatingAdmissionPolicy '*' with binding '*' denied request: ",
	    "admission webhook \"*\" denied the request: ",
	    "Internal error occurred: failed calling webhook \"*\": "};
	const char *at = after_forbidden(message), *end;

	at = at != NULL ? at : message;
	for (size_t i = 0; i < COUNT(heads); i++)
		if ((end = skip_pattern(at, heads[i])) != NULL)
			return (size_t)(end - message);
	return 0;
}

void
kube_error_public(struct buf *b, const struct kube_error *e, struct span kind)
{
	kube_error_public_of(b, e, kind, SPAN_NONE);
}

void
kube_error_public_of(struct buf *b, const struct kube_error *e,
    struct span kind, struct span object)
{
	/* A Secret of any group: callers know the kind alone. */
	bool private = datakind(span_str(""), kind) && !names_only(e);
	size_t start = b->len;

	if (private) {
		if (object.n > 0 && is_of_admission(e)) {
			size_t head = admission_head(e->message);
			struct buf text = BUF_INIT;

			buf_add(&text, e->message, head);
			scrub_add(&text, span_str(e->message + head), object);
			add_line(b, buf_str(&text));
			buf_release(&text);
		} else if (!add_names(b, e)) {
			add_outline(b, e);
		}
	} else if (e->message != NULL) {
		struct buf brief = BUF_INIT;

		godump_shorten(&brief, span_str(e->message));
		add_line(b, buf_str(&brief));
		buf_release(&brief);
	}
	cut(b, start);
}

void
kube_error_denial(struct buf *b, const struct kube_error *e)
{
	size_t start = b->len;

	if (e->denied)
		add_line(b, authorizer_says(e->message));
	cut(b, start);
}
