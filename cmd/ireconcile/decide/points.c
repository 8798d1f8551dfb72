#include "decide/points.h"

#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "process/clock.h"
#include "program/program.h"

static struct point *
add(struct decision *d, struct target target)
{
	struct point *pt;

	d->points = mem_grow(d->points, d->count, sizeof(*d->points));
	pt = &d->points[d->count++];
	*pt = (struct point){.target = target, .observed = jv_invalid()};
	d->open += target.type != POINT_STATUS;
	return pt;
}

struct point *
points_add(struct decision *d, enum point_type type, struct span label)
{
	return add(d, said_target(type, label, SPAN_NONE, SPAN_NONE));
}

void
points_add_object(
    struct decision *d, enum point_type type, const struct cache_object *o)
{
	struct span version =
	    type == POINT_FOREIGN ? cache_object_version(o) : SPAN_NONE;
	struct buf label = BUF_INIT;

	cache_object_add_label(&label, o);
	add(d,
	    said_target(type, buf_span(&label), cache_object_uid(o), version))
	    ->object = o;
	buf_release(&label);
}

void
points_index(struct decision *d)
{
	enum { MANY = 32 }; /* fewer are found faster without */

	for (size_t i = 0; d->count >= MANY && i < d->count; i++)
		map_put(&d->index, said_target_key(&d->points[i].target),
		    &d->points[i]);
}

void
points_outstanding(struct decision *d, struct span identity)
{
	arguments_add(&d->outstanding, ARGUMENTS_OUTSTANDING, identity);
	d->outstanding_count++;
}

void
points_look_again(struct decision *d, int64_t at_us)
{
	/* now_us 0: the input has not told the time yet, which may be far from
	 * 0. */
	if (d->now_us > 0 && at_us > d->now_us &&
	    (d->held_until_us == 0 || at_us < d->held_until_us))
		d->held_until_us = at_us;
}

static void
add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text.p != NULL ? text : span_str(""));
}

void
points_outstanding_item(
    struct decision *d, const struct desired_item *i, const char *path)
{
	struct span key = primary_item_key(i);
	size_t ns = strlen(i->key);
	struct buf b = BUF_INIT;

	buf_addc(&b, '{');
	add_text(&b, "apiVersion", span_str(i->kind->conf->api_version));
	add_text(&b, "kind", span_str(i->kind->conf->kind));
	json_add_key(&b, "metadata");
	buf_addc(&b, '{');
	if (ns > 0)
		add_text(&b, "namespace", span_str(i->key));
	add_text(&b, "name", span_skip(key, ns + 1));
	buf_addc(&b, '}');
	if (path != NULL)
		add_text(&b, "path", span_str(path));
	buf_addc(&b, '}');
	points_outstanding(d, buf_span(&b));
	buf_release(&b);
}

void
points_identity(struct buf *b, const struct cache_object *o)
{
	struct span version = json_get(cache_object_text(o), "apiVersion");

	buf_addc(b, '{');
	add_text(b, "apiVersion", json_raw_string(version));
	add_text(b, "kind", span_str(o->kind->conf->kind));
	json_add_key(b, "metadata");
	buf_addc(b, '{');
	if (o->ns_len > 0)
		add_text(b, "namespace", cache_object_namespace(o));
	add_text(b, "name", cache_object_name(o));
	add_text(b, "uid", cache_object_uid(o));
	buf_adds(b, "}}");
}

/* ---- notices ---- */

/* All that ireconcile itself says of a primary. */
static const struct {
	const char *event; /* reason of its Event; NULL: kapply has it */
	const char *type, *reason; /* the condition; NULL: there is none */
	bool logged;
} notices[NOTICES] = {
    [NOTICE_LOOP] = {NULL, "RepairLoop", "ChangedBack", false},
    [NOTICE_STAYS] = {"DifferenceStays", NULL, NULL, false},
    [NOTICE_UNSETTLED] = {"Unsettled", "Unsettled", "NeverSettles", false},
    [NOTICE_UNPROVEN] = {"Unproven", NULL, NULL, false},
    [NOTICE_UNSEEN] = {"Unseen", NULL, NULL, true},
    [NOTICE_ANNOTATION] = {"BadAnnotation", NULL, NULL, true},
    [NOTICE_WAITS] = {"WaitsForFinalizer", NULL, NULL, true},
    [NOTICE_KEPT] = {"Kept", NULL, NULL, false},
    [NOTICE_UNWATCHED] = {"NotWatched", NULL, NULL, true},
    [NOTICE_OBSERVE_ONLY] = {"ObserveOnly", "ObserveOnly", "Annotation", true},
    [NOTICE_FAILED] = {"FailedProgram", NULL, NULL, false},
};

void
points_note(struct decision *d, enum notice n, const char *message)
{
	buf_add(&d->notices[n], message, strlen(message) + 1);
}

static void
tell_notice(struct decision *d, enum notice n, const char *message)
{
	jv event =
	    jv_object_set(jv_object(), jv_string("type"), jv_string("Warning"));

	event = jv_object_set(
	    event, jv_string("reason"), jv_string(notices[n].event));
	event = jv_object_set(event, jv_string("message"), jv_string(message));
	d->events = jv_array_append(d->events, event);
	if (notices[n].logged)
		buf_addf(&d->complaints, "%s%s",
		    d->complaints.len > 0 ? "\n" : "", message);
}

void
points_tell(struct decision *d)
{
	for (enum notice n = 0; n < NOTICES; n++) {
		struct buf *all = &d->notices[n];

		for (size_t at = 0; at < all->len;
		     at += strlen(all->data + at) + 1)
			tell_notice(d, n, all->data + at);
	}
}

struct span
points_condition(const struct decision *d, enum notice n)
{
	struct span list = json_path(
	    cache_object_text(d->primary->object), "status.conditions");

	for (struct json_elements e = json_elements(list); json_element(&e);)
		if (json_is(json_get(e.value, "type"), notices[n].type) &&
		    json_is(json_get(e.value, "status"), "True"))
			return e.value;
	return SPAN_NONE;
}

static jv
since(const struct decision *d, enum notice n)
{
	struct span time = json_raw_string(
	    json_get(points_condition(d, n), "lastTransitionTime"));
	char now[CLOCK_RFC3339_MAX];

	if (time.n > 0)
		return jv_string_sized(time.p, (int)time.n);
	clock_format_s(d->now_us / 1000000, now);
	return jv_string(now);
}

/*
 * Whether our condition gets observedGeneration. Not all schemas have that
 * member (apps/v1 does not), and an unknown member would make the whole status
 * invalid: so it is set if the program's own conditions have it, or there are
 * none.
 */
static bool
has_generation(jv list_peek)
{
	bool has = jv_array_length(jv_copy(list_peek)) == 0;

	jv_array_foreach(list_peek, n, c)
	{
		has |= jv_get_kind(c) == JV_KIND_OBJECT &&
		    jv_object_has(jv_copy(c), jv_string("observedGeneration"));
		jv_free(c);
	}
	return has;
}

static jv
condition(const struct decision *d, jv others_peek, enum notice n,
    const char *message)
{
	jv c = jv_object_set(
	    jv_object(), jv_string("type"), jv_string(notices[n].type));
	struct buf visible = BUF_INIT;
	int64_t generation;

	quote_text(&visible, span_str(message));
	c = jv_object_set(c, jv_string("status"), jv_string("True"));
	c = jv_object_set(c, jv_string("reason"), jv_string(notices[n].reason));
	c = jv_object_set(c, jv_string("message"),
	    jv_string_sized(visible.data, (int)visible.len));
	buf_release(&visible);
	c = jv_object_set(c, jv_string("lastTransitionTime"), since(d, n));
	if (has_generation(others_peek) &&
	    json_int(cache_object_meta(d->primary->object, "generation"),
		&generation))
		c = jv_object_set(c, jv_string("observedGeneration"),
		    jv_number((double)generation));
	return c;
}

jv
points_set_condition(
    const struct decision *d, jv status, enum notice n, const char *message)
{
	jv list = jvtext_peek(status, "conditions"), kept = jv_array();

	if (jv_get_kind(list) != JV_KIND_ARRAY) {
		jv_free(kept);
		return status;
	}
	jv_array_foreach(list, at, c)
	{
		if (span_is(
			jvtext_span(jvtext_peek(c, "type")), notices[n].type))
			jv_free(c);
		else
			kept = jv_array_append(kept, c);
	}
	if (*message != '\0')
		kept = jv_array_append(kept, condition(d, kept, n, message));
	return jv_object_set(status, jv_string("conditions"), kept);
}

/* ---- what holds a terminating member ---- */

enum { SHOWN = 200 }; /* bytes of the names of finalizers, or of messages */

static const int64_t usual_us = 10 * INT64_C(1000000);

/* Appends the finalizers of o, "a, b"; false: it has none. */
static bool
add_finalizers(struct buf *b, const struct cache_object *o)
{
	struct json_elements e =
	    json_elements(cache_object_meta(o, "finalizers"));
	size_t begin = b->len;

	while (b->len - begin < SHOWN && json_element(&e)) {
		buf_adds(b, b->len > begin ? ", " : "");
		quote_text(b, json_raw_string(e.value));
	}
	return b->len > begin;
}

/*
 * A Namespace has no metadata.finalizers, but waits for the finalizers of the
 * objects in it: appends the messages of its conditions, "a; b"; false: it has
 * none. Kubernetes' conditions of these types are true if something is in the
 * way (k8s.io/kubernetes pkg/controller/namespace/deletion/
 * status_condition_utils.go).
 */
static bool
add_remaining(struct buf *b, const struct cache_object *o)
{
	struct json_elements e =
	    json_elements(json_path(cache_object_text(o), "status.conditions"));
	size_t begin = b->len;

	if (strcmp(o->kind->name, "Namespace") != 0)
		return false;
	while (b->len - begin < SHOWN && json_element(&e)) {
		struct buf scratch = BUF_INIT;
		struct span message =
		    json_string(json_get(e.value, "message"), &scratch);

		if (json_is(json_get(e.value, "status"), "True") &&
		    message.n > 0) {
			buf_adds(b, b->len > begin ? "; " : "");
			quote_text(b, message);
		}
		buf_release(&scratch);
	}
	return b->len > begin;
}

void
points_wait(struct decision *d, const struct cache_object *o)
{
	struct span since =
	    json_raw_string(cache_object_meta(o, "deletionTimestamp"));
	struct buf names = BUF_INIT, text = BUF_INIT;
	bool held = add_finalizers(&names, o);
	int64_t at_us;

	if ((!held && !add_remaining(&names, o)) ||
	    clock_parse_us(since, &at_us) != 0) {
		/* Nothing holds o, or it is not known for how long. */
	} else if (d->now_us < at_us + usual_us) {
		points_look_again(d, at_us + usual_us);
	} else {
		cache_object_add_label(&text, o);
		buf_addf(&text, " is being deleted, and waits%s: %s",
		    held ? " for a finalizer" : "", buf_str(&names));
		points_note(d, NOTICE_WAITS, buf_str(&text));
	}
	buf_release(&text);
	buf_release(&names);
}
