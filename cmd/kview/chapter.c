/*
 * Part of story.h: record lines. Sets and what the stages say of them, the
 * state of the pipeline, gaps.
 */
#include "story.h"

#include "base/array.h"
#include "json/json.h"
#include "record/reading.h"

enum {
	KEYS_MAX = 64,	      /* items in the details of a set */
	STAGES_MAX = 256,     /* stages of a pipeline whose starts are told */
	MEMBER_MAX = 8 * 1024 /* bytes of a member that is copied */
};

/* ---- copies of what a line says ---- */

/* Copies the value, without members that tell values of Secrets. */
static void
add_told(struct buf *b, struct span value, bool secret)
{
	if (json_type(value) != JSON_OBJECT) {
		buf_addspan(b, value);
		return;
	}
	buf_addc(b, '{');
	for (struct json_members m = json_members(value); json_member(&m);) {
		if (secret &&
		    (span_is(m.key, "observed") || span_is(m.key, "wanted") ||
			span_is(m.key, "before") || span_is(m.key, "after") ||
			span_is(m.key, "differs")))
			continue;
		json_add_raw_key(b, m.key);
		add_told(b, m.value, secret || span_starts(m.key, "Secret/"));
	}
	buf_addc(b, '}');
}

static void
copy_member(struct story *s, struct span from, const char *key)
{
	struct span value = json_get(from, key);

	if (value.p == NULL || value.n > MEMBER_MAX)
		return;
	json_add_key(&s->details, key);
	add_told(&s->details, value, false);
}

static void
copy_members(
    struct story *s, struct span from, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		copy_member(s, from, keys[i]);
}

/* ---- sets ---- */

/* The keys of a list of objects, as KEY and moreKEY. The tracks of a desired
 * one are offered the primary as their parent. Returns how many there are. */
static size_t
add_keys(struct story *s, const char *member, struct span list,
    struct track *primary)
{
	size_t count = 0;

	for (struct json_elements e = json_elements(list); json_element(&e);) {
		struct objref r = reading_ref(e.value, &s->names);
		struct track *t = tracks_of_ref(&s->tracks, &r);

		tracks_offer_parent(t, primary);
		if (count++ >= KEYS_MAX)
			continue;
		if (count == 1) {
			json_add_key(&s->details, member);
			buf_addc(&s->details, '[');
		}
		json_add_comma(&s->details);
		json_add_str(&s->details, t->key);
	}
	if (count > 0)
		buf_addc(&s->details, ']');
	return count;
}

static void
add_values(struct buf *text, struct span difference)
{
	struct span observed = json_get(difference, "observed");
	struct span wanted = json_get(difference, "wanted");

	if (observed.p != NULL) {
		buf_addc(text, ' ');
		json_add_decoded(text, observed);
	}
	if (wanted.p != NULL) {
		buf_adds(text, ", wanted ");
		json_add_decoded(text, wanted);
	}
}

/* The first difference that because tells; returns the key of its item, in
 * scratch. */
static struct span
add_first_difference(struct buf *text, struct span because, struct buf *scratch)
{
	struct json_members m = json_members(json_get(because, "items"));
	struct json_elements e;
	struct span first, name;

	if (!json_member(&m) || json_type(m.value) != JSON_OBJECT)
		return SPAN_NONE;
	name = span_make(m.key.p - 1, m.key.n + 2); /* key with its quotes */
	e = json_elements(json_get(m.value, "differs"));
	first = json_element(&e) ? e.value : SPAN_NONE;
	if (json_get(m.value, "gone").p != NULL) {
		buf_adds(text, "; ");
		json_add_decoded(text, name);
		buf_adds(text, " is gone");
	} else if (json_get(first, "path").p != NULL) {
		buf_adds(text, "; ");
		json_add_decoded(text, name);
		buf_addc(text, ' ');
		json_add_decoded(text, json_get(first, "path"));
		if (!span_starts(m.key, "Secret/"))
			add_values(text, first);
	}
	return json_string(name, scratch);
}

static bool
is_about(struct story *s, struct span event, struct span key)
{
	struct objref r = reading_ref(event, &s->names);
	struct buf b = BUF_INIT;
	bool same;

	objref_add_key(&b, &r);
	same = span_eq(buf_span(&b), key);
	buf_release(&b);
	return same;
}

/* The first event about the item that differs, if there is one: others came
 * before, of which nothing follows. */
static struct span
telling_event(struct story *s, struct span because, struct span key)
{
	struct json_elements e = json_elements(json_get(because, "events"));
	struct span first = SPAN_NONE;

	while (json_element(&e)) {
		if (is_about(s, e.value, key))
			return e.value;
		if (first.p == NULL)
			first = e.value;
	}
	return first;
}

/* The managers of all events about the object: which of the events made the
 * difference is not known. Nothing, if one of them has no manager. */
static void
add_managers(struct story *s, struct span because, const struct objref *r)
{
	struct json_elements e = json_elements(json_get(because, "events"));
	struct textlist names = {NULL, 0};
	struct buf key = BUF_INIT, all = BUF_INIT;
	int64_t more = 0;
	bool known = !json_int(json_get(because, "moreEvents"), &more);

	objref_add_key(&key, r);
	while (known && json_element(&e)) {
		struct span name = json_get(e.value, "manager");

		if (!is_about(s, e.value, buf_span(&key)))
			continue;
		known = json_type(name) == JSON_STRING;
		if (!known || textlist_has(&names, name.p, name.n))
			continue;
		textlist_add(&names, name.p, name.n);
		buf_adds(&all, all.len > 0 ? " or " : " by ");
		json_add_decoded(&all, name);
	}
	if (known)
		buf_addspan(&s->text, buf_span(&all));
	textlist_release(&names);
	buf_release(&key);
	buf_release(&all);
}

static void
add_cause(struct story *s, struct span because, struct span key)
{
	struct buf *text = &s->text;
	struct span event = telling_event(s, because, key);
	struct span timer = json_get(event, "timer");
	struct objref r;

	if (event.p == NULL) {
		buf_adds(text, "; by what was there at the start");
		return;
	}
	if (timer.p != NULL) {
		buf_adds(text, "; because of a timer: ");
		json_add_decoded(text, timer);
		return;
	}
	r = reading_ref(event, &s->names);
	buf_addf(text, "; because %.*s ",
	    SPAN_ARG(json_raw_string(json_get(event, "type"))));
	objref_add_label(text, &r);
	add_managers(s, because, &r);
}

static void
add_count(struct buf *text, size_t count, const char *noun)
{
	if (count > 0)
		buf_addf(text, "%s%zu %s%s", text->len > 0 ? ", " : "", count,
		    noun, count > 1 ? "s" : "");
}

/* The version of the program, as the segment names it. */
static void
add_program(struct story *s, const struct objref *primary)
{
	struct buf kind = BUF_INIT;
	struct span program;

	objref_add_kind(&kind, primary->kind, primary->group);
	program = json_get(buf_span(&s->programs), buf_str(&kind));
	if (json_type(program) == JSON_STRING) {
		json_add_key(&s->details, "program");
		add_told(&s->details, program, false);
	}
	buf_release(&kind);
}

/* ": phase Processing -> Available": what would change in the object's status;
 * nothing if nothing does. Others may add to what a program says. */
static void
add_status(struct story *s, const struct track *t, struct span status)
{
	size_t at = s->text.len;

	buf_adds(&s->text, ": ");
	s->statuses.partial = true;
	if (story_add_status(s, t, status) == 0)
		buf_truncate(&s->text, at);
}

static void
take_set(struct story *s, struct span line)
{
	static const char *const copied[] = {
	    "because", "status", "finalizers", "deleting", "loops", "refused"};
	struct span reconcile = json_get(line, "reconcile");
	struct span because = json_get(reconcile, "because");
	struct span status = json_get(reconcile, "status");
	struct objref r =
	    reading_ref(json_get(reconcile, "primary"), &s->names);
	struct track *t = tracks_of_ref(&s->tracks, &r);
	struct buf scratch = BUF_INIT;
	struct span key;

	t->decides = true;
	add_count(
	    &s->text, add_keys(s, "items", json_get(line, "items"), t), "item");
	add_count(&s->text,
	    add_keys(s, "delete", json_get(reconcile, "delete"), t), "delete");
	if (json_get(reconcile, "finalizers").p != NULL)
		buf_addf(&s->text, "%sfinalizers", s->text.len > 0 ? ", " : "");
	if (status.p != NULL) {
		buf_addf(&s->text, "%sstatus", s->text.len > 0 ? ", " : "");
		add_status(s, t, status);
	}
	if (s->text.len == 0)
		buf_adds(&s->text, "nothing is outstanding");
	key = add_first_difference(&s->text, because, &scratch);
	add_cause(s, because, key);
	buf_release(&scratch);
	copy_members(s, reconcile, copied, COUNT(copied));
	add_program(s, &r);
	story_tell(s, t, ROW_DECISION);
}

static void
take_status(struct story *s, struct span line)
{
	struct objref r = reading_ref(line, &s->names);
	struct span status = json_get(line, "status");
	struct track *t = tracks_of_ref(&s->tracks, &r);

	buf_adds(&s->text, "status to write");
	add_status(s, t, status);
	copy_member(s, line, "status");
	story_tell(s, t, ROW_DECISION);
}

/* ---- results ---- */

static void
take_result(struct story *s, const struct reading_line *line)
{
	static const char *const copied[] = {"result", "because", "message",
	    "primary", "events", "finalizers", "status"};
	static const char *const told[] = {"message", "because", "finalizers"};
	struct objref r = reading_ref(line->body, &s->names);
	struct track *t = tracks_of_ref(&s->tracks, &r);
	struct span primary =
	    json_name(json_get(line->body, "primary"), &s->names);
	enum viewrow_sort sort = ROW_WRITE;
	struct span result;

	if (primary.n > 0)
		tracks_offer_parent(t, tracks_of_key(&s->tracks, primary));
	json_add_decoded(&s->text, json_get(line->body, "result"));
	for (size_t i = 0; i < COUNT(told); i++) {
		struct span value = json_get(line->body, told[i]);

		if (value.p == NULL)
			continue;
		buf_adds(&s->text, ": ");
		if (json_type(value) == JSON_STRING)
			json_add_decoded(&s->text, value);
		else
			buf_addspan(&s->text, value);
	}
	copy_member(s, line->text, "tool");
	copy_members(s, line->body, copied, COUNT(copied));
	result = json_get(line->body, "result");
	if (json_is(result, "failed"))
		sort = ROW_FAILURE;
	else if (json_is(result, "unchanged") || json_is(result, "dropped"))
		sort = ROW_UNCHANGED;
	story_tell(s, t, sort);
}

/* ---- the pipeline ---- */

static void
tell_starts(struct story *s, struct span before, struct span now)
{
	struct json_members m = json_members(now);

	for (size_t i = 0; i < STAGES_MAX && json_member(&m); i++) {
		int64_t old = 0, starts = 0;
		struct json_members o = json_members(before);

		while (json_member(&o))
			if (span_eq(o.key, m.key))
				json_int(json_get(o.value, "starts"), &old);
		if (!json_int(json_get(m.value, "starts"), &starts) ||
		    starts <= old || starts < 2)
			continue;
		buf_addf(&s->text, "%.*s was started again (start %lld)",
		    SPAN_ARG(m.key), (long long)starts);
		story_tell(s, tracks_pipeline(&s->tracks), ROW_RESTART);
	}
}

static void
tell_phase(struct story *s, struct span before, struct span now)
{
	struct span phase = json_get(now, "phase");
	struct span reason = json_get(now, "reason");

	if (span_eq(phase, json_get(before, "phase")) &&
	    span_eq(reason, json_get(before, "reason")))
		return;
	json_add_decoded(&s->text, phase);
	if (reason.p != NULL) {
		buf_adds(&s->text, ": ");
		json_add_decoded(&s->text, reason);
	}
	copy_member(s, now, "stages");
	story_tell(s, tracks_pipeline(&s->tracks), ROW_PHASE);
}

static void
take_segment(struct story *s, struct span segment)
{
	struct span programs = json_get(segment, "programs");

	epoch_take(&s->epoch, segment);
	buf_reset(&s->programs);
	buf_addspan(&s->programs, programs);
	buf_reset(&s->tool);
	json_add_decoded(&s->tool, json_get(segment, "tool"));
	for (struct json_members m = json_members(programs); json_member(&m);)
		buf_addf(&s->tool, ", %.*s by %.*s", SPAN_ARG(m.key),
		    SPAN_ARG(json_raw_string(m.value)));
}

/* A process of the operator starts: which release it is, and which one was. */
static void
tell_release(struct story *s)
{
	bool first = s->started.count == 1;

	buf_adds(&s->text,
	    first ? "the operator started" : "the operator restarted here");
	if (s->tool.len > 0)
		buf_addf(&s->text, ": %s", buf_str(&s->tool));
	if (!first && s->former.len > 0 &&
	    !span_eq(buf_span(&s->former), buf_span(&s->tool)))
		buf_addf(&s->text, "; before it was %s", buf_str(&s->former));
	buf_reset(&s->former);
	buf_addspan(&s->former, buf_span(&s->tool));
}

static void
take_state(struct story *s, struct span now)
{
	struct track *pipeline = tracks_pipeline(&s->tracks);
	struct span started = json_raw_string(json_get(now, "started"));
	struct span leader = json_get(now, "leader"), before;
	bool leads = json_type(leader) == JSON_TRUE;

	if (json_get(now, "phase").p == NULL)
		return; /* a report of a stage */
	/* A new process knows nothing of the state of the one before. */
	if (started.n > 0 && !textlist_has(&s->started, started.p, started.n)) {
		textlist_add(&s->started, started.p, started.n);
		buf_reset(&s->state);
		tell_release(s);
		story_tell(s, pipeline, ROW_RESTART);
	}
	before = buf_span(&s->state);
	tell_phase(s, before, now);
	tell_starts(s, json_get(before, "stages"), json_get(now, "stages"));
	if (leader.p != NULL &&
	    leads != (json_type(json_get(before, "leader")) == JSON_TRUE)) {
		buf_adds(&s->text, leads ? "leads" : "does not lead any more");
		story_tell(s, pipeline, ROW_LEADER);
	}
	buf_reset(&s->state);
	buf_addspan(&s->state, now);
}

/* ---- another release, beside this one ---- */

/* Words for `change` of such a line (doc/recording.md). */
static const char *
words_of_change(struct span change)
{
	static const struct {
		const char *change, *words;
	} table[] = {{"differs", "differs"}, {"agrees", "agrees again"},
	    {"only-before", "does without"}, {"only-after", "adds"},
	    {"gone", "is not compared any more: the primary is gone"},
	    {"not-compared", "fails, as this one does"}};

	for (size_t i = 0; i < COUNT(table); i++)
		if (json_is(change, table[i].change))
			return table[i].words;
	return "says";
}

/* " A -> B" of a difference, which has JSON as text. */
static void
add_before_after(struct buf *text, struct span difference)
{
	struct span before = json_get(difference, "before");
	struct span after = json_get(difference, "after");

	if (before.p == NULL && after.p == NULL)
		return;
	buf_addc(text, ' ');
	if (before.p == NULL)
		buf_adds(text, "absent");
	json_add_decoded(text, before);
	buf_adds(text, " -> ");
	if (after.p == NULL)
		buf_adds(text, "absent");
	json_add_decoded(text, after);
}

/* A line of ireconcile --against (doc/recording.md). */
static void
take_shadow(struct story *s, struct span line)
{
	static const char *const copied[] = {"object", "part", "change"};
	struct span primary = json_name(json_get(line, "primary"), &s->names);
	struct span object = json_name(json_get(line, "object"), &s->names);
	struct span differs = json_get(line, "differs");
	struct json_elements e = json_elements(differs);
	bool secret = span_starts(object, "Secret/");

	if (primary.n == 0)
		return;
	buf_addf(&s->text, "another release %s",
	    words_of_change(json_get(line, "change")));
	if (object.n > 0) {
		buf_adds(&s->text, ": ");
		json_add_decoded(&s->text, json_get(line, "part"));
		buf_addf(&s->text, " %.*s", SPAN_ARG(object));
	}
	if (json_element(&e)) {
		buf_addc(&s->text, ' ');
		json_add_decoded(&s->text, json_get(e.value, "path"));
		if (!secret)
			add_before_after(&s->text, e.value);
	}
	copy_members(s, line, copied, COUNT(copied));
	if (!secret)
		copy_member(s, line, "differs");
	story_tell(s, tracks_of_key(&s->tracks, primary), ROW_SHADOW);
}

void
story_record(struct story *s, const struct reading_line *line)
{
	switch (line->kind) {
	case READING_SET:
		take_set(s, line->body);
		break;
	case READING_RESULT:
		take_result(s, line);
		break;
	case READING_STATUS:
		take_status(s, line->body);
		break;
	case READING_STATE:
		take_state(s, line->body);
		break;
	case READING_GAP:
		buf_adds(&s->text, "lines were lost here: ");
		json_add_decoded(&s->text, json_get(line->text, "stream"));
		s->gaps++;
		story_tell(s, tracks_pipeline(&s->tracks), ROW_GAP);
		break;
	case READING_SEGMENT:
		take_segment(s, line->text);
		break;
	case READING_SHADOW:
		take_shadow(s, line->body);
		break;
	case READING_EVENT:
	case READING_OTHER:
		break;
	}
}
