#include "reasons.h"

#include "base/quote.h"
#include "json/json.h"
#include "record/reading.h"

static struct span
text_of(struct span object, const char *key)
{
	return json_raw_string(json_get(object, key));
}

bool
reasons_is_secret(const struct objref *o)
{
	return o->group.n == 0 && span_is(o->kind, "Secret");
}

void
reasons_add_object(struct buf *b, const struct objref *o)
{
	struct buf label = BUF_INIT;

	objref_add_label(&label, o);
	quote_text(b, buf_span(&label));
	buf_release(&label);
}

/* A text of the recording. */
static void
add_told(struct buf *b, struct span object, const char *key)
{
	struct buf scratch = BUF_INIT;

	quote_text(b, json_string(json_get(object, key), &scratch));
	buf_release(&scratch);
}

void
reasons_add_differs(struct buf *b, struct span item, bool secret)
{
	struct json_elements list = json_elements(json_get(item, "differs"));
	int64_t more = 0;
	unsigned count = 0;

	while (json_element(&list)) {
		buf_adds(b, count++ > 0 ? "; " : "");
		add_told(b, list.value, "path");
		if (secret || text_of(list.value, "observed").n == 0) {
			buf_adds(b, " differs");
			continue;
		}
		buf_adds(b, " is ");
		add_told(b, list.value, "observed");
		buf_adds(b, ", wanted is ");
		add_told(b, list.value, "wanted");
	}
	if (json_int(json_get(item, "moreDiffers"), &more) && more > 0)
		buf_addf(b, "; and %lld more", (long long)more);
}

void
reasons_add_place(
    struct buf *b, const struct tale *t, size_t source, size_t line)
{
	if (t->named) {
		quote_text(b, span_str(t->sources[source]));
		buf_addc(b, ':');
	}
	buf_addf(b, "%zu", line);
}

static void
add_event(struct buf *b, struct tale *t, struct span event)
{
	struct objref o = reading_ref(event, &t->names);
	struct span version = reading_text(json_get(event, "resourceVersion"));
	struct span manager = json_get(event, "manager");
	const struct tale_event *at = tale_find_event(t, &o, version);
	struct span type = text_of(event, "type");

	if (json_get(event, "timer").p != NULL) {
		buf_adds(b, "its time had come (");
		add_told(b, event, "timer");
		buf_addc(b, ')');
		return;
	}
	reasons_add_object(b, &o);
	if (span_is(type, "DELETED"))
		buf_adds(b, " was deleted");
	else
		buf_adds(
		    b, span_is(type, "ADDED") ? " was added" : " was changed");
	if (manager.p != NULL) {
		buf_adds(b, " by ");
		add_told(b, event, "manager");
	}
	if (version.n > 0) {
		buf_adds(b, ", version ");
		/* A recording by another hand may have a number there. */
		if (json_type(json_get(event, "resourceVersion")) ==
		    JSON_NUMBER)
			buf_addspan(b, version);
		else
			add_told(b, event, "resourceVersion");
	}
	if (at != NULL) {
		buf_adds(b, ", line ");
		reasons_add_place(b, t, at->source, at->line);
	}
}

void
reasons_add_events(struct buf *b, struct tale *t, struct span because)
{
	struct json_elements list = json_elements(json_get(because, "events"));
	int64_t more = 0;
	unsigned count = 0;

	while (json_element(&list)) {
		buf_adds(b, count++ == 0 ? ", because " : "; and ");
		add_event(b, t, list.value);
	}
	if (count == 0)
		buf_adds(b, ", by what was there at the start");
	if (json_int(json_get(because, "moreEvents"), &more) && more > 0)
		buf_addf(b, "; and %lld more events", (long long)more);
}
