#include "outgoing.h"

#include <inttypes.h>

#include "app.h"
#include "json/stream.h"
#include "process/log.h"
#include "record/redact.h"
#include "record/sketch.h"
#include "value/objref.h"

/* The object without managedFields, with the type that lists leave out. */
static void
add_object(const struct kind *k, const struct json_frame *f, struct buf *out)
{
	const char *p = f->object.p, *end = p + f->object.n;

	if (f->api_version.p == NULL || f->kind.p == NULL) {
		buf_addc(out, '{');
		json_add_text(out, "apiVersion", span_str(k->api_version));
		json_add_text(out, "kind", span_str(k->kind));
		p++; /* never empty: the metadata is there */
		buf_addc(out, ',');
	}
	if (f->managed_fields.p != NULL && !k->app->show_managed_fields) {
		buf_add(out, p, (size_t)(f->managed_fields.p - p));
		p = f->managed_fields.p + f->managed_fields.n;
	}
	buf_add(out, p, (size_t)(end - p));
}

void
outgoing_body(const struct kind *k, const struct json_frame *f, struct buf *out)
{
	struct kwatch *app = k->app;
	bool secret = *k->group == '\0' && strcmp(k->kind, "Secret") == 0;
	bool hides = app->redact != NULL &&
	    (app->redact_all || secret || k->spec->redact.count > 0 ||
		redact_has_secret(f->object));
	struct buf whole = BUF_INIT;
	struct buf *b = hides ? &whole : out;

	/* Without an option that says what becomes of Secrets, the first one
	 * is. */
	if (app->on_secret != NULL && secret &&
	    json_get(f->object, "data").p != NULL) {
		log_warning("%s", app->on_secret);
		app->on_secret = NULL;
	}
	if (k->spec->project != NULL)
		project_cut(k->spec->project, span_str(k->api_version),
		    span_str(k->kind), f->object, b);
	else
		add_object(k, f, b);
	if (hides)
		redact_object(app->redact, span_str(k->group),
		    span_str(k->kind),
		    (const char *const *)k->spec->redact.items, buf_span(b),
		    out);
	buf_release(&whole);
}

void
outgoing_shorten(
    const struct kind *k, const struct json_frame *f, struct buf *body)
{
	struct sketch s = {.length = 0};
	struct buf line = BUF_INIT;
	struct json_frame short_one;

	sketch_begin(&s, SKETCH_OBJECT);
	sketch_add(&s, f->object);
	buf_reset(body);
	if (sketch_end(&s, &line) == 0 &&
	    json_frame(buf_span(&line), &short_one) == 0)
		outgoing_body(k, &short_one, body);
	buf_release(&line);
	sketch_release(&s);
}

void
outgoing_say_long(const struct kind *k, const struct json_frame *f,
    uint64_t length, const char *what)
{
	struct buf key = BUF_INIT;

	objref_add_key(&key,
	    &(struct objref){.kind = span_str(k->kind),
		.group = span_str(k->group),
		.namespace_ = f->namespace_,
		.name = f->name});
	log_warning("%s has %" PRIu64 " bytes of JSON, and a line at most %s: "
		    "%s; make the object smaller",
	    buf_str(&key), length, STREAM_MAX_TEXT, what);
	buf_release(&key);
}
