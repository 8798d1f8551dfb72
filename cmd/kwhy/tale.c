#include "tale.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/file.h"
#include "record/statusdiff.h"
#include "value/objref.h"

/* Bytes of a list of finalizers. */
enum { JSON_MAX = 300 };

/* How much of a sentence is told: at least, and in the long form. */
static const struct tale_limits {
	size_t named, values, value, statuses, events;
} limits[] = {{3, 3, 48, 4, 1}, {6, 6, 120, 24, SIZE_MAX}};

static const struct tale_limits *
limits_of(const struct tale *t)
{
	return &limits[t->o.whole];
}

static void tell_operator(void *arg, enum opstate_sort sort, struct span text);

void
tale_init(struct tale *t, struct tale_opts o, struct sought *sought,
    struct period *period)
{
	*t = (struct tale){.o = o,
	    .sought = sought,
	    .period = period,
	    .state = {.fn = tell_operator, .arg = t}};
	contrast_init(&t->contrast,
	    (struct contrast_limits){
		limits_of(t)->values, limits_of(t)->value});
	t->events = mem_zalloc(TALE_EVENTS * sizeof(*t->events));
}

void
tale_release(struct tale *t)
{
	for (size_t i = 0; i < t->source_count; i++)
		free(t->sources[i]);
	free(t->sources);
	buf_release(&t->text);
	buf_release(&t->sentence);
	buf_release(&t->object);
	buf_release(&t->former);
	buf_release(&t->status);
	epoch_release(&t->epoch);
	opstate_release(&t->state);
	arena_release(&t->names);
	contrast_release(&t->contrast);
	free(t->events);
}

/* ---- which event ---- */

/* FNV-1a: of names that a process reads once. */
static uint64_t
digest(const struct objref *o, struct span version)
{
	const struct span all[] = {
	    o->group, o->kind, o->namespace_, o->name, version};
	uint64_t sum = 14695981039346656037u;

	for (size_t n = 0; n < COUNT(all); n++) {
		for (size_t i = 0; i < all[n].n; i++)
			sum =
			    (sum ^ (unsigned char)all[n].p[i]) * 1099511628211u;
		sum = (sum ^ '/') * 1099511628211u;
	}
	return sum;
}

const struct tale_event *
tale_find_event(
    const struct tale *t, const struct objref *o, struct span version)
{
	uint64_t sum = digest(o, version);
	const struct tale_event *e = &t->events[sum % TALE_EVENTS];

	return e->line > 0 && e->digest == sum ? e : NULL;
}

static struct span
text_of(struct span object, const char *key)
{
	return json_raw_string(json_get(object, key));
}

/* Whether values are not told. */
static bool
is_secret(const struct objref *o)
{
	return o->group.n == 0 && span_is(o->kind, "Secret");
}

/* "Deployment.apps default/web"; the group only in the long form */
static void
add_object(struct buf *b, const struct tale *t, const struct objref *o)
{
	struct buf label = BUF_INIT;
	struct objref shown = *o;

	if (!t->o.whole)
		shown.group = span_str("");
	objref_add_label(&label, &shown);
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

/* ".spec.replicas is 7, wanted is 3, and 2 more fields differ" of an element of
 * because.items; nothing if there is none. Of a Secret only the paths. */
static void
add_differs(struct buf *b, struct span item, bool secret)
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

/* "25", or "00000003:25" */
static void
add_place(struct buf *b, const struct tale *t, size_t source, size_t line)
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
	add_object(b, t, &o);
	if (span_is(type, "DELETED"))
		buf_adds(b, " was deleted");
	else
		buf_adds(
		    b, span_is(type, "ADDED") ? " was added" : " was changed");
	if (manager.p != NULL) {
		buf_adds(b, " by ");
		add_told(b, event, "manager");
	}
	if (version.n > 0 && t->o.whole) {
		buf_adds(b, ", version ");
		/* A recording by another hand may have a number there. */
		if (json_type(json_get(event, "resourceVersion")) ==
		    JSON_NUMBER)
			buf_addspan(b, version);
		else
			add_told(b, event, "resourceVersion");
	}
	if (at != NULL && t->o.whole) {
		buf_adds(b, ", line ");
		add_place(b, t, at->source, at->line);
	}
}

/* ", because ..." of a line's because. */
static void
add_events(struct buf *b, struct tale *t, struct span because)
{
	struct json_elements list = json_elements(json_get(because, "events"));
	int64_t more = 0, left_out;
	size_t count = 0;

	while (json_element(&list)) {
		if (count++ >= limits_of(t)->events)
			continue;
		buf_adds(b, count == 1 ? ", because " : "; and ");
		add_event(b, t, list.value);
	}
	if (count == 0)
		buf_adds(b, ", by what was there at the start");
	json_int(json_get(because, "moreEvents"), &more);
	left_out = more > 0 ? more : 0;
	if (count > limits_of(t)->events)
		left_out += (int64_t)(count - limits_of(t)->events);
	if (left_out > 0)
		buf_addf(b, "; and %lld more event%s", (long long)left_out,
		    left_out > 1 ? "s" : "");
}

/* ---- sentences ---- */

/* "2026-11-27T15:10:00.123456Z  25  ", or "15:10:00.123  " */
static void
add_when(struct buf *b, const struct tale *t, const struct reading_line *line)
{
	char text[CLOCK_RFC3339_MAX];
	int64_t us;

	if (line->time.n == 0) {
		buf_addc(b, '-');
	} else if (t->o.whole || clock_parse_us(line->time, &us) != 0) {
		quote_name(b, line->time);
	} else {
		clock_format_us(us, text);
		buf_add(b, text + sizeof("2026-11-27T") - 1,
		    sizeof("15:10:00.123") - 1);
	}
	buf_adds(b, "  ");
	if (!t->o.whole)
		return;
	add_place(b, t, t->source_count - 1, line->number);
	buf_adds(b, "  ");
}

/* The sentence in t->text, of this line. A remark is in parentheses. */
static void
say(struct tale *t, const struct reading_line *line)
{
	buf_reset(&t->sentence);
	add_when(&t->sentence, t, line);
	buf_addspan(&t->sentence, buf_span(&t->text));
	if (t->o.whole && *t->text.data != '(')
		buf_addc(&t->sentence, '.');
	buf_addc(&t->sentence, '\n');
	period_add(t->period, buf_span(&t->sentence), *t->text.data == '(');
	buf_reset(&t->text);
}

static void
say_of_it(struct tale *t, const struct reading_line *line)
{
	t->told++;
	say(t, line);
}

static void
add_json(struct buf *b, struct span value, size_t max)
{
	struct buf compact = BUF_INIT;
	size_t n;

	json_add_compact(&compact, value);
	n = utf8_cut(buf_span(&compact), max);
	quote_text(b, span_make(compact.data, n));
	if (n < compact.len)
		buf_adds(b, "...");
	buf_release(&compact);
}

/* The differences between two statuses; returns how many there are. */
static size_t
add_status(
    struct tale *t, const char *lead, struct span before, struct span after)
{
	struct buf words = BUF_INIT;
	size_t count = statusdiff_add(
	    &words, &t->contrast, before, after, limits_of(t)->statuses);

	if (count > 0) {
		buf_adds(&t->text, lead);
		quote_text(&t->text, buf_span(&words));
	}
	buf_release(&words);
	return count;
}

/* A status that is decided or sent, against the one before. */
static void
add_next_status(struct tale *t, const char *lead, struct span status)
{
	struct span before = buf_span(&t->status);

	/* Others may have written to the status that was seen. */
	t->contrast.partial = before.n == 0;
	if (before.n == 0)
		before = json_get(buf_span(&t->object), "status");
	t->contrast.unlike = false;
	if (add_status(t, lead, before, status) == 0)
		buf_addf(&t->text, "%sas before", lead);
	t->contrast.partial = false;
	buf_reset(&t->status);
	buf_addspan(&t->status, status);
}

/* ---- seen ---- */

/* The fields that contrast found: [PATH, OLD, NEW]. */
static void
add_changes(struct tale *t)
{
	struct json_elements list;
	struct buf all = BUF_INIT;
	size_t count = 0;

	buf_addf(&all, "[%s]", buf_str(&t->contrast.fields));
	list = json_elements(buf_span(&all));
	for (; json_element(&list); count++) {
		struct json_elements field = json_elements(list.value);
		struct buf scratch = BUF_INIT;
		const char *before[] = {count == 0 ? ": " : "; ", " ", " -> "};

		for (size_t i = 0; i < 3 && json_element(&field); i++) {
			if (json_type(field.value) == JSON_TRUE)
				break;
			buf_adds(&t->text, before[i]);
			buf_reset(&scratch);
			if (json_type(field.value) == JSON_STRING)
				quote_text(&t->text,
				    json_string(field.value, &scratch));
			else
				buf_adds(&t->text, "nothing");
		}
		buf_release(&scratch);
	}
	if (t->contrast.count > count)
		buf_addf(&t->text, "; and %zu more fields",
		    t->contrast.count - count);
	buf_release(&all);
}

/* " (version 9, by helm)". The manager of a change that a gap hides is not
 * known. */
static void
add_version(struct tale *t, const struct reading_line *line)
{
	struct span metadata = json_get(line->body, "metadata");
	const char *lead = " (";

	if (t->o.whole) {
		buf_addf(&t->text, "%sversion ", lead);
		quote_text(&t->text,
		    reading_text(json_get(metadata, "resourceVersion")));
		lead = ", ";
	}
	if (!t->gap && json_get(line->text, "manager").p != NULL) {
		buf_addf(&t->text, "%sby ", lead);
		add_told(&t->text, line->text, "manager");
		lead = ", ";
	}
	if (*lead == ',')
		buf_addc(&t->text, ')');
}

static struct span
meta(struct span object, const char *key)
{
	return json_get(json_get(object, "metadata"), key);
}

static bool
has_same(struct span one, struct span other, const char *key)
{
	struct span a = meta(one, key), b = meta(other, key);

	return a.n > 0 && span_eq(a, b);
}

/* The object without status; without metadata, too, in which two objects always
 * differ. */
static void
add_content(struct buf *b, struct span object, bool metadata)
{
	buf_addc(b, '{');
	for (struct json_members m = json_members(object); json_member(&m);) {
		if ((span_is(m.key, "metadata") && !metadata) ||
		    span_is(m.key, "status"))
			continue;
		json_add_raw_key(b, m.key);
		buf_addspan(b, m.value);
	}
	buf_addc(b, '}');
}

/* Finds in which fields but those of the status they differ. */
static size_t
find_changes(struct tale *t, struct span from, struct span to,
    const struct objref *o, bool metadata)
{
	struct buf before = BUF_INIT, after = BUF_INIT;

	add_content(&before, from, metadata);
	add_content(&after, to, metadata);
	t->contrast.unlike = t->seen_in != t->epoch.number;
	contrast_find(
	    &t->contrast, buf_span(&before), buf_span(&after), is_secret(o));
	buf_release(&before);
	buf_release(&after);
	return t->contrast.count;
}

/* The object was not there before: perhaps it is another one of that name. */
static void
tell_other(
    struct tale *t, const struct reading_line *line, const struct objref *o)
{
	struct span former = buf_span(&t->former);

	buf_adds(&t->text, "It was seen");
	add_version(t, line);
	if (former.n > 0 && !has_same(former, line->body, "uid") &&
	    find_changes(t, former, line->body, o, false) > 0) {
		buf_adds(&t->text, ", another one than before");
		add_changes(t);
	}
	if (!t->o.spec)
		add_status(
		    t, "; status ", SPAN_NONE, json_get(line->body, "status"));
	say_of_it(t, line);
}

static void
forget_object(struct tale *t)
{
	buf_reset(&t->former);
	buf_addspan(&t->former, buf_span(&t->object));
	buf_reset(&t->object);
}

/* A segment begins with what is known: that is not told again. */
static void
tell_changed(
    struct tale *t, const struct reading_line *line, const struct objref *o)
{
	struct span before = buf_span(&t->object);
	size_t count = find_changes(t, before, line->body, o, !t->o.spec);
	bool goes = meta(line->body, "deletionTimestamp").n > 0 &&
	    meta(before, "deletionTimestamp").n == 0;

	buf_adds(&t->text,
	    goes ? "Its deletion was requested" : "It was seen to change");
	add_version(t, line);
	add_changes(t);
	if (!t->o.spec)
		count += add_status(t, count > 0 ? "; status " : ": status ",
		    json_get(before, "status"), json_get(line->body, "status"));
	if (count > 0 || goes)
		say_of_it(t, line);
}

static void
tell_seen(struct tale *t, const struct reading_line *line,
    const struct objref *o, struct span type)
{
	struct span before = buf_span(&t->object);
	bool same = before.n > 0 && has_same(before, line->body, "uid");

	t->met = true;
	if (span_is(type, "DELETED")) {
		buf_adds(&t->text, "It was seen to be gone");
		say_of_it(t, line);
		forget_object(t);
		return;
	}
	if (before.n > 0 && !same && meta(line->body, "uid").n > 0 &&
	    meta(before, "uid").n > 0)
		forget_object(t);
	/* The line has only the identity: what changed is not known. */
	if (json_get(line->text, "tooLarge").p != NULL) {
		buf_adds(&t->text, "It was seen, too large to be read");
		add_version(t, line);
		say_of_it(t, line);
		t->gap = true;
		return;
	}
	if (t->object.len == 0)
		tell_other(t, line, o);
	else if (!same || !has_same(before, line->body, "resourceVersion"))
		tell_changed(t, line, o);
	buf_reset(&t->object);
	buf_addspan(&t->object, line->body);
	t->seen_in = t->epoch.number;
	t->gap = false;
}

static void
tell_event(struct tale *t, const struct reading_line *line)
{
	struct objref o = reading_ref(line->body, &t->names);
	struct span type = text_of(line->text, "type");
	struct span version = reading_text(
	    json_get(json_get(line->body, "metadata"), "resourceVersion"));
	uint64_t sum;

	if (span_is(type, "BOOKMARK") &&
	    epoch_begins_again(&t->epoch, line->body)) {
		buf_adds(&t->text, "(kwatch began again)");
		say(t, line);
	}
	if (span_is(type, "BOOKMARK") || span_is(type, "ERROR"))
		return;
	sum = digest(&o, version);
	t->events[sum % TALE_EVENTS] =
	    (struct tale_event){sum, t->source_count - 1, line->number};
	if (t->told == 0)
		sought_note(t->sought, &o);
	if (sought_is(t->sought, &o))
		tell_seen(t, line, &o, type);
}

/* ---- decided ---- */

/* A wish for an item, with the reason. */
static void
add_wish(struct buf *b, const struct objref *o, struct span reconcile)
{
	struct buf key = BUF_INIT;
	struct span known, why;

	objref_add_key(&key, o);
	known = json_get_named(json_get(reconcile, "known"), buf_span(&key));
	why = json_get_named(
	    json_path(reconcile, "because.items"), buf_span(&key));
	if (json_type(json_get(why, "gone")) == JSON_TRUE) {
		buf_adds(b,
		    "to be made again, for it was gone (who deleted it, only "
		    "the API server's audit log says)");
	} else if (json_get(why, "differs").p != NULL) {
		buf_adds(b,
		    json_get(why, "repair").p != NULL ? "to be repaired: "
						      : "to be changed: ");
		add_differs(b, why, is_secret(o));
	} else {
		buf_adds(b,
		    json_type(known) == JSON_STRING ? "to be as it is"
						    : "to be made");
	}
	buf_release(&key);
}

/* Whether the list has the object that is asked for. */
static bool
finds(struct tale *t, struct span list, struct objref *found)
{
	for (struct json_elements e = json_elements(list); json_element(&e);) {
		*found = reading_ref(e.value, &t->names);
		if (sought_is(t->sought, found))
			return true;
	}
	return false;
}

/* Objects of a list, the first ones by name. */
static void
add_names(struct tale *t, const char *before, struct span list,
    struct span reconcile, bool wishes)
{
	struct buf *b = &t->text;
	size_t count = 0;

	for (struct json_elements e = json_elements(list); json_element(&e);) {
		struct objref o = reading_ref(e.value, &t->names);

		if (count++ >= limits_of(t)->named)
			continue;
		buf_adds(b, count == 1 ? before : ", ");
		add_object(b, t, &o);
		if (!wishes)
			continue;
		buf_addc(b, ' ');
		add_wish(b, &o, reconcile);
	}
	if (count > limits_of(t)->named)
		buf_addf(b, " and %zu more", count - limits_of(t)->named);
}

static void
tell_decided(
    struct tale *t, const struct reading_line *line, struct span reconcile)
{
	struct span status = json_get(reconcile, "status");
	size_t at;

	buf_adds(&t->text, "It was decided");
	at = t->text.len;
	add_names(t, ": ", json_get(line->body, "items"), reconcile, true);
	add_names(t,
	    t->text.len > at ? "; to be deleted: " : ": to be deleted: ",
	    json_get(reconcile, "delete"), reconcile, false);
	if (json_get(reconcile, "finalizers").p != NULL) {
		buf_adds(&t->text, t->text.len > at ? "; " : ": ");
		buf_adds(&t->text, "finalizers ");
		add_json(&t->text, json_get(reconcile, "finalizers"), JSON_MAX);
	}
	if (status.p != NULL && !t->o.spec)
		add_next_status(
		    t, t->text.len > at ? "; status " : ": status ", status);
	if (t->text.len == at && t->o.spec)
		return;
	if (t->text.len == at)
		buf_adds(&t->text, " that nothing is left to do");
	add_events(&t->text, t, json_get(reconcile, "because"));
	say_of_it(t, line);
}

static void
tell_set(struct tale *t, const struct reading_line *line)
{
	struct span reconcile = json_get(line->body, "reconcile");
	struct objref primary =
	    reading_ref(json_get(reconcile, "primary"), &t->names);
	struct objref o;
	bool item;

	if (sought_is(t->sought, &primary)) {
		tell_decided(t, line, reconcile);
		return;
	}
	item = finds(t, json_get(line->body, "items"), &o);
	if (!item && !finds(t, json_get(reconcile, "delete"), &o))
		return;
	add_object(&t->text, t, &primary);
	buf_adds(&t->text, " wants it ");
	if (item)
		add_wish(&t->text, &o, reconcile);
	else
		buf_adds(&t->text, "to be deleted");
	add_events(&t->text, t, json_get(reconcile, "because"));
	say_of_it(t, line);
}

/* ---- written ---- */

/* Of kstatus, in the short form: the status that was decided was written. */
static bool
is_told_already(const struct tale *t, struct span tool, struct span result)
{
	return span_is(tool, "kstatus") &&
	    (t->o.spec || (!t->o.whole && json_is(result, "written")));
}

static void
tell_result(struct tale *t, const struct reading_line *line)
{
	static const char *const texts[] = {"because", "message"};
	struct objref o = reading_ref(line->body, &t->names), primary;
	struct span finalizers = json_get(line->body, "finalizers");
	struct span status = json_get(line->body, "status");
	struct span key = json_name(json_get(line->body, "primary"), &t->names);
	struct span tool = text_of(line->text, "tool");
	bool ours = sought_is(t->sought, &o);

	if ((!ours &&
		(!objref_parse_key(&primary, key) ||
		    !sought_is(t->sought, &primary))) ||
	    is_told_already(t, tool, json_get(line->body, "result")))
		return;
	quote_text(&t->text, tool.n > 0 ? tool : span_str("kapply"));
	buf_adds(&t->text, ": ");
	if (!ours) {
		add_object(&t->text, t, &o);
		buf_addc(&t->text, ' ');
	}
	add_told(&t->text, line->body, "result");
	if (finalizers.p != NULL) {
		buf_adds(&t->text, ", finalizers ");
		add_json(&t->text, finalizers, JSON_MAX);
	}
	if (status.p != NULL && ours)
		add_next_status(t, ", status ", status);
	for (size_t i = 0; i < COUNT(texts); i++) {
		if (json_get(line->body, texts[i]).p == NULL)
			continue;
		buf_adds(&t->text, ": ");
		add_told(&t->text, line->body, texts[i]);
	}
	say_of_it(t, line);
}

static void
tell_status(struct tale *t, const struct reading_line *line)
{
	struct objref o = reading_ref(line->body, &t->names);
	struct span status = json_get(line->body, "status");

	if (!sought_is(t->sought, &o) || t->o.spec ||
	    (!t->o.whole && span_eq(status, buf_span(&t->status))))
		return;
	buf_adds(&t->text, "A status was sent");
	add_next_status(t, ": ", status);
	say_of_it(t, line);
}

static void
tell_operator(void *arg, enum opstate_sort sort, struct span text)
{
	struct tale *t = arg;

	(void)sort;
	buf_addc(&t->text, '(');
	quote_text(&t->text, text);
	buf_addc(&t->text, ')');
	say(t, t->line);
}

/* ---- lines ---- */

/* "00000003" of "DIR/00000003.jsonl.zst" */
static void
note_source(struct tale *t, const struct reading_line *line)
{
	struct span name = span_str(file_base(line->source));

	name = span_cut(&name, '.');
	if (t->source_count > 0 && line->number > 1 &&
	    span_is(name, t->sources[t->source_count - 1]))
		return;
	t->sources = mem_grow(t->sources, t->source_count, sizeof(*t->sources));
	t->sources[t->source_count++] = mem_dup(name.p, name.n);
}

void
tale_line(struct tale *t, const struct reading_line *line)
{
	arena_reset(&t->names);
	buf_reset(&t->text);
	note_source(t, line);
	period_time(t->period, line->time);
	t->line = line;
	opstate_line(&t->state, line);
	if (t->o.changes &&
	    (line->kind == READING_SET || line->kind == READING_RESULT ||
		line->kind == READING_STATUS))
		return;
	switch (line->kind) {
	case READING_EVENT:
		tell_event(t, line);
		break;
	case READING_SEGMENT:
		epoch_take(&t->epoch, line->text);
		break;
	case READING_GAP:
		buf_adds(&t->text, "(lines were lost here)");
		say(t, line);
		t->gap = true;
		break;
	case READING_SET:
		tell_set(t, line);
		break;
	case READING_RESULT:
		tell_result(t, line);
		break;
	case READING_STATUS:
		tell_status(t, line);
		break;
	default:
		break;
	}
}
