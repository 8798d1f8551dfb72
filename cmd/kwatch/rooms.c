#include "rooms.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/mem.h"
#include "conf/selector.h"
#include "kind.h"
#include "process/log.h"
#include "arrival.h"
#include "watch.h"

bool
rooms_are_of(const struct kind *k)
{
	return k == k->app->rooms.kind;
}

void
rooms_init(struct kwatch *app)
{
	bool selects = false;

	for (size_t i = 0; i < app->kind_count; i++)
		selects = selects || app->kinds[i]->spec->room_count > 0;
	for (size_t i = 0; selects && i < app->kind_count; i++) {
		struct kind *k = app->kinds[i];

		if (k->name != NULL && strcmp(k->name, "Namespace") == 0)
			app->rooms.kind = k;
	}
}

void
rooms_release(struct rooms *r)
{
	struct room *room;

	for (size_t i = 0; (room = map_next(&r->by_name, &i)) != NULL;) {
		buf_release(&room->labels);
		buf_release(&room->waiting);
		free(room);
	}
	map_release(&r->by_name);
}

static struct room *
room_of(struct rooms *r, struct span name)
{
	struct room *room = map_get(&r->by_name, name);

	if (room != NULL)
		return room;
	room = mem_zalloc(sizeof(*room) + name.n + 1);
	memcpy(room->name, name.p, name.n);
	map_put(&r->by_name, span_str(room->name), room);
	return room;
}

/* ---- who wants it ---- */

static bool
wants(const struct kind *k, const struct room *room)
{
	const struct watchspec *spec = k->spec;
	size_t n = strlen(room->name);
	bool wanted = false;

	if (!room->there || k->resource == NULL || k->twin != NULL ||
	    !k->resource->namespaced ||
	    textlist_has(&spec->namespaces, room->name, n))
		return false;
	for (size_t i = 0; i < spec->room_count && !wanted; i++) {
		const struct watchspec_rooms *r = &spec->rooms[i];

		wanted = (r->names.count == 0 ||
			     textlist_has(&r->names, room->name, n)) &&
		    selector_matches(r->selector, buf_span(&room->labels));
	}
	return wanted;
}

static struct watch *
watch_in(const struct kind *k, const struct room *room)
{
	for (size_t i = 0; i < k->watch_count; i++)
		if (k->watches[i]->room == room)
			return k->watches[i];
	return NULL;
}

/* Whether every kind that wants it has its objects. */
static bool
is_known(const struct kwatch *app, const struct room *room)
{
	bool known = true;

	for (size_t i = 0; i < app->kind_count && known; i++) {
		const struct watch *w = watch_in(app->kinds[i], room);

		known = !wants(app->kinds[i], room) ||
		    (w != NULL && w->ever_synced);
	}
	return known;
}

/* ---- its watches ---- */

/* Starts those that are missing. */
static void
enter(struct kwatch *app, struct room *room)
{
	bool some = false;

	for (size_t i = 0; i < app->kind_count; i++) {
		struct kind *k = app->kinds[i];

		if (!wants(k, room))
			continue;
		some = true;
		if (watch_in(k, room) == NULL)
			kind_enter(k, room);
	}
	if (some && !room->said && app->rooms.listed)
		log_info("namespace %s is selected now", room->name);
	room->said = room->said || some;
}

/* Ends those that are not wanted any more. */
static void
leave(struct kwatch *app, struct room *room)
{
	bool some = false;

	for (size_t i = 0; i < app->kind_count; i++) {
		struct kind *k = app->kinds[i];
		struct watch *w = watch_in(k, room);

		if (wants(k, room))
			some = true;
		else if (w != NULL)
			kind_leave(k, w);
	}
	if (!some && room->said)
		log_info("namespace %s is not selected any more", room->name);
	room->said = some;
}

/* The initial state of the Namespaces waits for it no longer. */
static void
let_go(struct kwatch *app, struct room *room)
{
	if (!room->holds)
		return;
	room->holds = false;
	kind_watch_synced(app->rooms.kind);
}

void
rooms_restart(struct kwatch *app)
{
	struct room *room;

	for (size_t i = 0; (room = map_next(&app->rooms.by_name, &i)) != NULL;)
		room->holds = false;
}

/* ---- the gate ---- */

bool
rooms_may_tell(struct kwatch *app, const struct json_frame *f)
{
	struct kind *k = app->rooms.kind;
	struct room *room = room_of(&app->rooms, f->name);

	buf_reset(&room->labels);
	buf_addspan(&room->labels, json_get(f->metadata, "labels"));
	buf_reset(&room->waiting);
	room->there = true;
	room->mark = k->watches[0]->mark;
	enter(app, room);
	if (is_known(app, room))
		return true;
	buf_adds(&room->waiting, "{\"type\":\"ADDED\",\"object\":");
	buf_addspan(&room->waiting, f->object);
	buf_addc(&room->waiting, '}');
	if (k->state != KIND_COMPLETE && !room->holds) {
		room->holds = true;
		k->incomplete++;
	}
	return false;
}

void
rooms_told(struct kwatch *app, struct span name)
{
	struct room *room = room_of(&app->rooms, name);

	leave(app, room);
	let_go(app, room);
}

static void
forget(struct kwatch *app, struct room *room)
{
	room->there = false;
	buf_reset(&room->labels);
	buf_reset(&room->waiting);
	leave(app, room);
	let_go(app, room);
}

void
rooms_deleted(struct kwatch *app, struct span name)
{
	forget(app, room_of(&app->rooms, name));
}

void
rooms_listed(struct kwatch *app)
{
	struct rooms *r = &app->rooms;
	struct room **all = (struct room **)map_sorted(&r->by_name);
	size_t count = r->by_name.count;
	bool first = !r->listed;

	for (size_t i = 0; i < count; i++)
		if (all[i]->there && all[i]->mark != r->kind->watches[0]->mark)
			forget(app, all[i]);
	free(all);
	r->listed = true;
	for (size_t i = 0; first && i < app->kind_count; i++)
		if (app->kinds[i]->waits_for_rooms)
			kind_rooms_listed(app->kinds[i]);
}

void
rooms_enter(struct kind *k)
{
	struct rooms *r = &k->app->rooms;
	struct room **all = (struct room **)map_sorted(&r->by_name);
	size_t count = r->by_name.count;

	for (size_t i = 0; i < count; i++)
		if (wants(k, all[i]))
			kind_enter(k, all[i]);
	free(all);
}

/* Prints the line that waits, if nothing is in its way. */
static void
open_gate(struct kwatch *app, struct room *room)
{
	struct buf event = room->waiting;
	struct json_frame f;

	if (event.len == 0 || !is_known(app, room))
		return;
	room->waiting = (struct buf)BUF_INIT;
	if (json_frame(buf_span(&event), &f) == 0)
		arrival_put_late(app->rooms.kind->watches[0], &f);
	buf_release(&event);
	rooms_told(app, span_str(room->name));
}

void
rooms_synced(struct watch *w)
{
	if (wants(w->kind, w->room))
		open_gate(w->kind->app, w->room);
}

void
rooms_look(struct kwatch *app)
{
	struct room **all = (struct room **)map_sorted(&app->rooms.by_name);
	size_t count = app->rooms.by_name.count;

	for (size_t i = 0; i < count; i++)
		open_gate(app, all[i]);
	free(all);
}

void
rooms_excuse(struct watch *w)
{
	log_warning("nothing is decided in namespace %s until %s can be "
		    "watched there; other namespaces go on",
	    w->room->name, w->kind->name);
	let_go(w->kind->app, w->room);
}
