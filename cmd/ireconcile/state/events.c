#include "state/events.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "process/clock.h"
#include "state/late.h"

enum { NAMED_MAX = 40 }; /* bytes of a hostile word in a message */

static void
begin(struct cache_kind *k)
{
	k->announced = true;
	k->complete = k->absent = false;
	cache_kind_unlisted(k);
	k->epoch++;
	for (size_t i = 0; i < k->use_count; i++)
		k->uses[i]->entry->complete = false;
}

static void
widen(const struct cache_kind *k)
{
	for (size_t i = 0; i < k->use_count; i++)
		k->uses[i]->entry->widened = true;
}

/* A list is complete: objects that did not come since its begin are gone. Torn
 * primaries stay, whose deletion is known already. */
static void
end(struct entries *es, struct cache_kind *k)
{
	struct cache_object **all =
	    (struct cache_object **)map_sorted(&k->objects);
	size_t count = k->objects.count;

	for (size_t i = 0; i < count; i++)
		if (all[i]->epoch != k->epoch && !entries_is_torn(all[i]))
			entries_drop(es, all[i]);
	free(all);
	late_sweep(k);
	k->announced = true;
	k->complete = true;
	cache_kind_unlisted(k);
	widen(k);
}

static void
bookmark(struct entries *es, struct cache_kind *k, struct span object)
{
	struct span notes =
	    json_get(json_get(object, "metadata"), "annotations");
	struct span in =
	    json_raw_string(json_get(notes, "kpipe.dev/listed-namespaces"));

	if (json_is(json_get(notes, "kpipe.dev/initial-events-begin"), "true"))
		begin(k);
	if (json_is(json_get(notes, "kpipe.dev/absent"), "true"))
		k->absent = true;
	if (json_is(json_get(notes, "k8s.io/initial-events-end"), "true")) {
		end(es, k);
	} else if (in.n > 0 && !k->complete) {
		/* Some namespaces of a kind are complete, while others cannot
		 * be listed. */
		while (in.n > 0)
			cache_kind_listed(k, span_cut(&in, ','));
		widen(k);
	}
}

static int
nameless(const struct cache_kind *k, struct err *err)
{
	return err_set(err, ERR_PERMANENT,
	    "a %s without a name, or with a NUL in it", k->name);
}

static int
changed(struct entries *es, struct cache_kind *k, const struct event *event,
    struct err *err)
{
	struct cache_object *o = cache_object_new(&es->store, k, event->object);

	if (o == NULL)
		return nameless(k, err);
	if (event->too_large)
		cache_object_too_large(o);
	if (!late_takes(es, o))
		entries_put(es, o);
	return 0;
}

static int
deleted(
    struct entries *es, struct cache_kind *k, struct span text, struct err *err)
{
	struct cache_object *gone = cache_object_new(&es->store, k, text), *o;

	if (gone == NULL)
		return nameless(k, err);
	o = cache_get(k, cache_object_key(gone));
	/* If the uids differ, another object of that name has replaced the
	 * deleted one already. */
	late_forget(gone);
	if (!entries_tear(es, gone) && o != NULL &&
	    (gone->uid_len == 0 ||
		span_eq(cache_object_uid(gone), cache_object_uid(o)))) {
		entries_tell_unselected(o, gone);
		entries_drop(es, o);
	}
	cache_object_free(gone);
	return 0;
}

static int
bad(struct err *err, const char *what, struct span word)
{
	if (word.n > NAMED_MAX)
		word.n = NAMED_MAX;
	return err_set(err, ERR_PERMANENT, "%s \"%.*s\"", what, SPAN_ARG(word));
}

struct event
events_parse(struct span text)
{
	enum { KIND, TYPE, OBJECT, TOO_LARGE, MANAGER, TIME, MEMBERS };
	static const char *const keys[] = {
	    "kind", "type", "object", "tooLarge", "manager", "time"};
	struct event e = {.text = span_trim(text, SPAN_BLANKS), .time_us = -1};
	struct json_members first = json_members(e.text);
	struct span found[MEMBERS], time;

	e.object = e.text;
	if (json_type(e.text) != JSON_OBJECT)
		return e;
	e.is_record = json_member(&first) && span_is(first.key, "record");
	json_pick(e.text, keys, MEMBERS, found);
	if (found[KIND].p != NULL)
		return e;
	time = json_raw_string(found[TIME]);
	if (time.p == NULL || clock_parse_us(time, &e.time_us) != 0)
		e.time_us = -1;
	if (found[TYPE].p == NULL)
		return e;
	e.type = found[TYPE];
	e.object = found[OBJECT];
	e.manager = found[MANAGER];
	e.time = found[TIME];
	e.too_large = json_type(found[TOO_LARGE]) == JSON_NUMBER;
	return e;
}

int
events_apply(struct entries *es, const struct event *event, struct err *err)
{
	struct span type = json_raw_string(event->type), version, kind;
	struct cache_kind *k;

	if (json_type(event->text) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "not an object");
	if (event->type.p != NULL && type.p == NULL)
		return err_set(
		    err, ERR_PERMANENT, "an event whose type is not text");
	if (json_type(event->object) != JSON_OBJECT)
		return err_set(err, ERR_PERMANENT, "an event without object");
	version = json_raw_string(json_get(event->object, "apiVersion"));
	kind = json_raw_string(json_get(event->object, "kind"));
	if (span_is(type, "ERROR"))
		return bad(err, "an error event:",
		    json_raw_string(json_get(event->object, "reason")));
	if (kind.n == 0 || version.n == 0)
		return err_set(err, ERR_PERMANENT, "an object without %s",
		    kind.n == 0 ? "kind" : "apiVersion");
	if (type.p != NULL && !span_is(type, "ADDED") &&
	    !span_is(type, "MODIFIED") && !span_is(type, "DELETED") &&
	    !span_is(type, "BOOKMARK"))
		return bad(err, "unknown event type", type);
	k = cache_kind(&es->store, version, kind);
	if (k == NULL)
		return 0; /* the kind is not used */
	if (span_is(type, "BOOKMARK"))
		bookmark(es, k, event->object);
	else if (span_is(type, "DELETED"))
		return deleted(es, k, event->object, err);
	else
		return changed(es, k, event, err);
	return 0;
}

struct entry *
events_completed(struct entries *es)
{
	for (size_t i = 0; i < es->count; i++) {
		struct entry *e = es->items[i];
		bool complete = true;

		for (size_t j = 0; j < e->use_count; j++)
			complete = complete && e->uses[j]->kind->complete;
		if (complete && !e->complete) {
			e->complete = true;
			return e;
		}
	}
	return NULL;
}

void
events_assume(struct entries *es, const struct cache *others, struct buf *names)
{
	for (size_t i = 0; i < es->store.kind_count; i++) {
		struct cache_kind *k = es->store.kinds[i];

		if (k->announced || k->objects.count > 0 ||
		    map_get(&others->by_name, span_str(k->name)) != NULL)
			continue;
		k->announced = k->complete = true;
		buf_addf(names, "%s%s", names->len ? ", " : "", k->name);
	}
}

size_t
events_end(struct entries *es, struct buf *names)
{
	size_t cut = 0;

	for (size_t i = 0; i < es->store.kind_count; i++) {
		struct cache_kind *k = es->store.kinds[i];

		if (!k->announced && !es->store.live)
			k->announced = k->complete = true;
		else if (!k->complete)
			buf_addf(names, "%s%s", cut++ ? ", " : "", k->name);
	}
	return cut;
}
