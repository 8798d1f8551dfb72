#include "tale.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "json/json.h"
#include "process/file.h"
#include "record/reading.h"
#include "value/objref.h"

enum { NAMED_MAX = 6, VALUE_MAX = 120, STATUS_MAX = 300 };

int
tale_init(struct tale *t, const char *kind, const char *name, struct err *err)
{
	struct objref who = {.namespace_ = span_str("")};
	struct span group = span_str(kind), rest = span_str(name);

	who.kind = span_cut(&group, '.');
	who.group = group;
	if (span_find(rest, '/') != NULL)
		who.namespace_ = span_cut(&rest, '/');
	who.name = rest;
	if (who.kind.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "operand \"%s\" is not a kind, as deployment.apps", kind);
	if (who.name.n == 0 || span_find(who.name, '/') != NULL)
		return err_set(err, ERR_PERMANENT,
		    "operand \"%s\" is not NAMESPACE/NAME, or NAME of an "
		    "object without a namespace",
		    name);
	*t = (struct tale){.who = who};
	contrast_init(
	    &t->contrast, (struct contrast_limits){NAMED_MAX, VALUE_MAX});
	t->events = mem_zalloc(TALE_EVENTS * sizeof(*t->events));
	textlist_init(&t->started);
	return 0;
}

void
tale_release(struct tale *t)
{
	for (size_t i = 0; i < t->source_count; i++)
		free(t->sources[i]);
	free(t->sources);
	buf_release(&t->out);
	buf_release(&t->text);
	buf_release(&t->object);
	buf_release(&t->former);
	epoch_release(&t->epoch);
	textlist_release(&t->started);
	buf_release(&t->tool);
	buf_release(&t->running);
	arena_release(&t->names);
	contrast_release(&t->contrast);
	free(t->events);
}

/* ---- which object, and which event ---- */

static bool
is_caseless(struct span a, struct span b)
{
	return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

/* Whether word is kind in the plural, as API servers make it. */
static bool
is_plural(struct span word, struct span kind)
{
	struct span stem = word;

	if (word.n < 3)
		return false;
	stem.n--;
	if ((word.p[word.n - 1] | 0x20) != 's')
		return false;
	if (is_caseless(stem, kind))
		return true;
	stem.n--;
	if ((stem.p[stem.n] | 0x20) != 'e')
		return false;
	if (is_caseless(stem, kind))
		return true;
	stem.n--;
	return (stem.p[stem.n] | 0x20) == 'i' && kind.n == stem.n + 1 &&
	    (kind.p[stem.n] | 0x20) == 'y' &&
	    strncasecmp(stem.p, kind.p, stem.n) == 0;
}

/* Whether the object is meant. */
static bool
is_meant(const struct tale *t, const struct objref *o)
{
	return span_eq(t->who.name, o->name) &&
	    span_eq(t->who.namespace_,
		span_make(o->namespace_.p, o->namespace_.n)) &&
	    (is_caseless(t->who.kind, o->kind) ||
		is_plural(t->who.kind, o->kind)) &&
	    (t->who.group.p == NULL || is_caseless(t->who.group, o->group));
}

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

/* "Deployment.apps default/web" */
static void
add_object(struct buf *b, const struct objref *o)
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
	add_object(b, &o);
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
		add_place(b, t, at->source, at->line);
	}
}

/* ", because ..." of a line's because. */
static void
add_events(struct buf *b, struct tale *t, struct span because)
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

/* ---- sentences ---- */

/* The sentence in t->text, of this line. */
static void
say(struct tale *t, const struct reading_line *line)
{
	if (line->time.n > 0)
		quote_name(&t->out, line->time);
	else
		buf_adds(&t->out, "-");
	buf_adds(&t->out, "  ");
	add_place(&t->out, t, t->source_count - 1, line->number);
	buf_addf(&t->out, "  %s\n", buf_str(&t->text));
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

/* The manager of a change that a gap hides is not known. */
static void
add_version(struct tale *t, const struct reading_line *line)
{
	struct span metadata = json_get(line->body, "metadata");

	buf_adds(&t->text, " (version ");
	quote_text(
	    &t->text, reading_text(json_get(metadata, "resourceVersion")));
	if (!t->gap && json_get(line->text, "manager").p != NULL) {
		buf_adds(&t->text, ", by ");
		add_told(&t->text, line->text, "manager");
	}
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

static void
find_changes(
    struct tale *t, struct span from, struct span to, const struct objref *o)
{
	t->contrast.unlike = t->seen_in != t->epoch.number;
	contrast_find(&t->contrast, from, to, is_secret(o));
}

/* The object without metadata and status, in which two always differ. */
static void
add_content(struct buf *b, struct span object)
{
	buf_addc(b, '{');
	for (struct json_members m = json_members(object); json_member(&m);) {
		if (span_is(m.key, "metadata") || span_is(m.key, "status"))
			continue;
		json_add_raw_key(b, m.key);
		buf_addspan(b, m.value);
	}
	buf_addc(b, '}');
}

/* The object was not there before: perhaps it is another one of that name. */
static void
tell_other(
    struct tale *t, const struct reading_line *line, const struct objref *o)
{
	struct buf from = BUF_INIT, to = BUF_INIT;

	buf_adds(&t->text, "It was seen");
	add_version(t, line);
	if (t->former.len > 0 &&
	    !has_same(buf_span(&t->former), line->body, "uid")) {
		add_content(&from, buf_span(&t->former));
		add_content(&to, line->body);
		find_changes(t, buf_span(&from), buf_span(&to), o);
		if (t->contrast.count > 0)
			buf_adds(&t->text, ", another one than before");
		add_changes(t);
	}
	buf_addc(&t->text, '.');
	say_of_it(t, line);
	buf_release(&from);
	buf_release(&to);
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
	find_changes(t, buf_span(&t->object), line->body, o);
	if (t->contrast.count == 0)
		return;
	buf_adds(&t->text, "It was seen to change");
	add_version(t, line);
	add_changes(t);
	buf_addc(&t->text, '.');
	say_of_it(t, line);
}

static void
tell_seen(struct tale *t, const struct reading_line *line,
    const struct objref *o, struct span type)
{
	struct span before = buf_span(&t->object);
	bool same = before.n > 0 && has_same(before, line->body, "uid");

	if (span_is(type, "DELETED")) {
		buf_adds(&t->text, "It was seen to be gone.");
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
		buf_addc(&t->text, '.');
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
		buf_adds(&t->text, "(kwatch began again.)");
		say(t, line);
	}
	if (span_is(type, "BOOKMARK") || span_is(type, "ERROR"))
		return;
	sum = digest(&o, version);
	t->events[sum % TALE_EVENTS] =
	    (struct tale_event){sum, t->source_count - 1, line->number};
	if (is_meant(t, &o))
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
		buf_adds(b, "to be made again, for it was gone");
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
		if (is_meant(t, found))
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
	unsigned count = 0;

	for (struct json_elements e = json_elements(list); json_element(&e);) {
		struct objref o = reading_ref(e.value, &t->names);

		if (count++ >= NAMED_MAX)
			continue;
		buf_adds(b, count == 1 ? before : ", ");
		add_object(b, &o);
		if (!wishes)
			continue;
		buf_addc(b, ' ');
		add_wish(b, &o, reconcile);
	}
	if (count > NAMED_MAX)
		buf_addf(b, " and %u more", count - NAMED_MAX);
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
		add_json(
		    &t->text, json_get(reconcile, "finalizers"), STATUS_MAX);
	}
	if (status.p != NULL) {
		buf_adds(&t->text, t->text.len > at ? "; " : ": ");
		buf_adds(&t->text, "status ");
		add_json(&t->text, status, STATUS_MAX);
	}
	if (t->text.len == at)
		buf_adds(&t->text, " that nothing is left to do");
	add_events(&t->text, t, json_get(reconcile, "because"));
	buf_addc(&t->text, '.');
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

	if (is_meant(t, &primary)) {
		tell_decided(t, line, reconcile);
		return;
	}
	item = finds(t, json_get(line->body, "items"), &o);
	if (!item && !finds(t, json_get(reconcile, "delete"), &o))
		return;
	add_object(&t->text, &primary);
	buf_adds(&t->text, " wants it ");
	if (item)
		add_wish(&t->text, &o, reconcile);
	else
		buf_adds(&t->text, "to be deleted");
	add_events(&t->text, t, json_get(reconcile, "because"));
	buf_addc(&t->text, '.');
	say_of_it(t, line);
}

/* ---- written ---- */

static void
tell_result(struct tale *t, const struct reading_line *line)
{
	static const char *const values[] = {"finalizers", "status"};
	static const char *const texts[] = {"because", "message"};
	struct objref o = reading_ref(line->body, &t->names), primary;
	struct buf scratch = BUF_INIT;
	struct span tool = text_of(line->text, "tool");
	struct span key =
	    json_string(json_get(line->body, "primary"), &scratch);
	bool ours = is_meant(t, &o);

	if (ours ||
	    (objref_parse_key(&primary, key) && is_meant(t, &primary))) {
		quote_text(&t->text, tool.n > 0 ? tool : span_str("kapply"));
		buf_adds(&t->text, ": ");
		if (!ours) {
			add_object(&t->text, &o);
			buf_addc(&t->text, ' ');
		}
		add_told(&t->text, line->body, "result");
		for (size_t i = 0; i < COUNT(values); i++) {
			struct span value = json_get(line->body, values[i]);

			if (value.p == NULL)
				continue;
			buf_addf(&t->text, ", %s ", values[i]);
			add_json(&t->text, value, STATUS_MAX);
		}
		for (size_t i = 0; i < COUNT(texts); i++) {
			if (json_get(line->body, texts[i]).p == NULL)
				continue;
			buf_adds(&t->text, ": ");
			add_told(&t->text, line->body, texts[i]);
		}
		buf_addc(&t->text, '.');
		say_of_it(t, line);
	}
	buf_release(&scratch);
}

static void
tell_status(struct tale *t, const struct reading_line *line)
{
	struct objref o = reading_ref(line->body, &t->names);

	if (!is_meant(t, &o))
		return;
	buf_adds(&t->text, "A status was sent: ");
	add_json(&t->text, json_get(line->body, "status"), STATUS_MAX);
	buf_addc(&t->text, '.');
	say_of_it(t, line);
}

/* ---- the operator ---- */

/* The stages that run, with their starts: it changes when one starts again. */
static void
add_running(struct buf *b, struct span state)
{
	struct span leader = json_get(state, "leader");
	struct span phase = text_of(state, "phase");

	if (span_is(phase, "draining"))
		buf_adds(b, "The operator stops");
	else
		buf_addf(b, "kpipe is %.*s", SPAN_ARG(phase));
	if (leader.p != NULL)
		buf_adds(b,
		    json_type(leader) == JSON_TRUE ? ", the leader"
						   : ", not the leader");
	for (struct json_members m = json_members(json_get(state, "stages"));
	     json_member(&m);) {
		int64_t starts = 0;

		if (json_int(json_get(m.value, "starts"), &starts) &&
		    starts > 1)
			buf_addf(b, "; %.*s: start %lld", SPAN_ARG(m.key),
			    (long long)starts);
	}
}

static void
tell_state(struct tale *t, const struct reading_line *line)
{
	struct span started = text_of(line->body, "started");
	struct buf running = BUF_INIT;

	if (json_get(line->body, "phase").p == NULL)
		return; /* a report of a stage */
	if (started.n > 0 && !textlist_has(&t->started, started.p, started.n)) {
		textlist_add(&t->started, started.p, started.n);
		buf_adds(&t->text, "(The operator started at ");
		quote_text(&t->text, started);
		if (t->tool.len > 0)
			buf_addf(&t->text, ": %s", buf_str(&t->tool));
		buf_adds(&t->text, ".)");
		say(t, line);
		buf_reset(&t->text);
	}
	add_running(&running, line->body);
	if (!span_eq(buf_span(&running), buf_span(&t->running))) {
		buf_addc(&t->text, '(');
		quote_text(&t->text, buf_span(&running));
		buf_adds(&t->text, ".)");
		say(t, line);
		buf_reset(&t->running);
		buf_addspan(&t->running, buf_span(&running));
	}
	buf_release(&running);
}

/* The program, too, when it is another one. */
static void
tell_segment(struct tale *t, const struct reading_line *line)
{
	struct buf tool = BUF_INIT;
	struct span programs = json_get(line->text, "programs");

	epoch_take(&t->epoch, line->text);
	add_told(&tool, line->text, "tool");
	for (struct json_members m = json_members(programs); json_member(&m);) {
		buf_adds(&tool, ", ");
		quote_text(&tool, m.key);
		buf_adds(&tool, " by ");
		quote_text(&tool, json_raw_string(m.value));
	}
	if (!span_eq(buf_span(&tool), buf_span(&t->tool))) {
		buf_addf(&t->text, "(From here on: %s.)", buf_str(&tool));
		say(t, line);
		buf_reset(&t->tool);
		buf_addspan(&t->tool, buf_span(&tool));
	}
	buf_release(&tool);
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
	static void (*const tellers[])(
	    struct tale *, const struct reading_line *) = {
	    [READING_EVENT] = tell_event,
	    [READING_SEGMENT] = tell_segment,
	    [READING_SET] = tell_set,
	    [READING_RESULT] = tell_result,
	    [READING_STATUS] = tell_status,
	    [READING_STATE] = tell_state,
	};

	arena_reset(&t->names);
	buf_reset(&t->text);
	note_source(t, line);
	if (line->kind == READING_GAP) {
		buf_adds(&t->text, "(Lines were lost here.)");
		say(t, line);
		t->gap = true;
	} else if (line->kind < READING_GAP) {
		tellers[line->kind](t, line);
	}
}
