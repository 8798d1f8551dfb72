#include "deltafifo.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "process/clock.h"
#include "writers.h"
#include "value/bookmarks.h"

/* An element of the queue: an entry, or a bookmark. */
struct deltafifo_item {
	struct deltafifo_item *next;
	bool queued;
	bool is_bookmark;
};

struct bookmark {
	struct deltafifo_item item;
	enum deltafifo_bookmark which;
	const char *api_version, *kind;
	char value[];
};

/* News of an entry, while the reader is behind. */
struct deltafifo_news {
	struct buf body;  /* empty: none */
	struct buf names; /* writers of it; empty: not known */
	uint64_t length;  /* see struct deltafifo_version */
	char *told_uid;	  /* owned; the reader's, if not that in ids; or NULL */
};

/* There is an entry for every object, so it is small. */
struct deltafifo_entry {
	struct deltafifo_item item;
	struct deltafifo_index *index;
	const void *owner;
	uint32_t mark;
	bool alive; /* exists on the server */
	bool told;  /* the reader believes that it exists */
	bool last;  /* body is the last state of a gone object: counted */
	bool uuid;  /* the uid in ids is UUID_BYTES */
	/* Owned: the uid (with a NUL, if it is text), version NUL; NULL: none
	 * yet. */
	char *ids;
	struct deltafifo_news *news; /* owned, or NULL */
	struct writers *writers;     /* owned, or NULL */
	uint32_t key_n, ns_len;
	char text[]; /* the key */
};

struct deltafifo {
	struct out *out;
	enum deltafifo_form form;
	struct deltafifo_item *first, **last;
	size_t held; /* bytes of bodies queued since the queue was empty */
	size_t gone; /* bytes of bodies of deleted objects */
	struct deltafifo_counters counters;
};

enum { UUID_TEXT = 36, UUID_BYTES = 16 };

/* The number of deleted objects is not bounded by the size of the cluster. */
enum { LAST_MAX = 1024 * 1024 };

struct deltafifo *
deltafifo_new(struct out *out, enum deltafifo_form form)
{
	struct deltafifo *f = mem_zalloc(sizeof(*f));

	f->out = out;
	f->form = form;
	f->last = &f->first;
	return f;
}

static struct deltafifo_item *
dequeue(struct deltafifo *f)
{
	struct deltafifo_item *i = f->first;

	f->first = i->next;
	if (f->first == NULL)
		f->last = &f->first;
	i->next = NULL;
	i->queued = false;
	return i;
}

static void
enqueue(struct deltafifo *f, struct deltafifo_item *i)
{
	if (i->queued)
		return;
	i->queued = true;
	*f->last = i;
	f->last = &i->next;
}

void
deltafifo_free(struct deltafifo *f)
{
	if (f == NULL)
		return;
	while (f->first != NULL) {
		struct deltafifo_item *i = dequeue(f);

		if (i->is_bookmark)
			free(i);
	}
	free(f);
}

const struct deltafifo_counters *
deltafifo_counters(const struct deltafifo *f)
{
	return &f->counters;
}

bool
deltafifo_empty(const struct deltafifo *f)
{
	return f->first == NULL;
}

/* ---- uids and versions ---- */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
is_dash(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

/* In half its size; false: uid is not a UUID in lower case, as those of some
 * aggregated servers; then `to` may be written, too. */
static bool
uuid_parse(struct span uid, char to[UUID_BYTES])
{
	unsigned byte = 0;

	if (uid.n != UUID_TEXT)
		return false;
	for (size_t i = 0, digits = 0; i < UUID_TEXT; i++) {
		int digit = hex_digit(uid.p[i]);

		if (is_dash(i) ? uid.p[i] != '-' : digit < 0)
			return false;
		if (is_dash(i))
			continue;
		byte = byte << 4 | (unsigned)digit;
		if (digits++ % 2 == 1)
			to[digits / 2 - 1] = (char)(byte & 0xff);
	}
	return true;
}

static void
uuid_add(struct buf *b, const char bytes[UUID_BYTES])
{
	for (size_t i = 0; i < UUID_BYTES; i++) {
		unsigned byte = (unsigned char)bytes[i];

		if (i == 4 || i == 6 || i == 8 || i == 10)
			buf_addc(b, '-');
		buf_addc(b, "0123456789abcdef"[byte >> 4]);
		buf_addc(b, "0123456789abcdef"[byte & 15]);
	}
}

static struct span
entry_key(const struct deltafifo_entry *e)
{
	return span_make(e->text, e->key_n);
}

/* The uid in ids, appended. */
static void
add_uid(struct buf *b, const struct deltafifo_entry *e)
{
	if (e->ids == NULL)
		return;
	if (e->uuid)
		uuid_add(b, e->ids);
	else
		buf_adds(b, e->ids);
}

static bool
uid_is(const struct deltafifo_entry *e, struct span uid)
{
	char bytes[UUID_BYTES];
	bool uuid = uuid_parse(uid, bytes);

	if (e->ids == NULL || uuid != e->uuid)
		return e->ids == NULL && uid.n == 0;
	return uuid ? memcmp(bytes, e->ids, UUID_BYTES) == 0
		    : span_is(uid, e->ids);
}

static const char *
entry_version(const struct deltafifo_entry *e)
{
	return e->ids + (e->uuid ? UUID_BYTES : strlen(e->ids) + 1);
}

/* ---- news ---- */

static struct deltafifo_news *
entry_news(struct deltafifo_entry *e)
{
	if (e->news == NULL)
		e->news = mem_zalloc(sizeof(*e->news));
	return e->news;
}

static const char *
told_uid(const struct deltafifo_entry *e)
{
	return e->news != NULL ? e->news->told_uid : NULL;
}

static void
set_told_uid(struct deltafifo_entry *e, char *uid)
{
	if (uid == NULL && told_uid(e) == NULL)
		return;
	free(entry_news(e)->told_uid);
	e->news->told_uid = uid;
}

/* Keeps nothing that says nothing. */
static void
shrink_news(struct deltafifo_entry *e)
{
	if (e->news == NULL || e->news->told_uid != NULL ||
	    e->news->body.data != NULL)
		return;
	free(e->news);
	e->news = NULL;
}

/* ---- entries ---- */

static void
free_ids(struct deltafifo_entry *e)
{
	const char *version;

	if (e->ids == NULL)
		return;
	version = entry_version(e);
	pool_free(&e->index->pool, e->ids,
	    (size_t)(version - e->ids) + strlen(version) + 1);
	e->ids = NULL;
}

static void
entry_release(struct deltafifo_entry *e)
{
	if (e->news != NULL) {
		buf_release(&e->news->body);
		buf_release(&e->news->names);
		free(e->news->told_uid);
	}
	free(e->news);
	writers_free(e->writers, &e->index->pool);
	free_ids(e);
	pool_free(&e->index->pool, e, sizeof(*e) + e->key_n);
}

static void
entry_free(struct deltafifo *f, struct deltafifo_entry *e)
{
	map_del(&e->index->entries, entry_key(e));
	f->counters.objects--;
	entry_release(e);
}

void
deltafifo_index_release(struct deltafifo_index *ix)
{
	struct deltafifo_entry *e;

	for (size_t i = 0; (e = map_next(&ix->entries, &i)) != NULL;)
		entry_release(e);
	map_release(&ix->entries);
	pool_release(&ix->pool);
}

static struct span
name_of(const struct deltafifo_entry *e)
{
	return span_make(e->text + e->ns_len + 1, e->key_n - e->ns_len - 1);
}

size_t
deltafifo_index_count(const struct deltafifo_index *ix)
{
	return ix->entries.count;
}

bool
deltafifo_index_has(const struct deltafifo_index *ix, const char *name)
{
	const struct deltafifo_entry *e;

	for (size_t i = 0; (e = map_next(&ix->entries, &i)) != NULL;)
		if (span_is(name_of(e), name))
			return true;
	return false;
}

struct deltafifo_entry *
deltafifo_entry(struct deltafifo *f, struct deltafifo_index *ix, struct span ns,
    struct span name, const void *owner, uint32_t mark)
{
	char small[512], *text = small;
	struct span key;
	struct deltafifo_entry *e;

	key.n = ns.n + 1 + name.n;
	if (key.n > sizeof(small))
		text = mem_alloc(key.n);
	if (ns.n > 0)
		memcpy(text, ns.p, ns.n);
	text[ns.n] = '/';
	if (name.n > 0)
		memcpy(text + ns.n + 1, name.p, name.n);
	key.p = text;
	e = map_get(&ix->entries, key);
	if (e == NULL) {
		e = pool_zalloc(&ix->pool, sizeof(*e) + key.n);
		memcpy(e->text, key.p, key.n);
		e->key_n = (uint32_t)key.n;
		e->ns_len = (uint32_t)ns.n;
		e->index = ix;
		map_put(&ix->entries, entry_key(e), e);
		f->counters.objects++;
	}
	if (text != small)
		free(text);
	e->owner = owner;
	e->mark = mark;
	return e;
}

bool
deltafifo_entry_is(
    const struct deltafifo_entry *e, struct span uid, struct span version)
{
	/* Some aggregated servers have no versions: such an entry never counts
	 * as told. */
	return deltafifo_entry_lives(e, uid) && version.n > 0 &&
	    span_is(version, entry_version(e));
}

static void
set_ids(struct deltafifo_entry *e, struct span uid, struct span version)
{
	bool other = !uid_is(e, uid);
	struct buf ids = BUF_INIT;
	char bytes[UUID_BYTES];

	if (other && e->told && told_uid(e) == NULL) {
		add_uid(&ids, e);
		set_told_uid(e, buf_take(&ids));
	} else if (other && told_uid(e) != NULL && span_is(uid, told_uid(e))) {
		set_told_uid(e, NULL);
	}
	free_ids(e);
	e->uuid = uuid_parse(uid, bytes);
	if (e->uuid)
		uid = span_make(bytes, UUID_BYTES);
	e->ids = pool_zalloc(&e->index->pool, uid.n + !e->uuid + version.n + 1);
	if (uid.n > 0)
		memcpy(e->ids, uid.p, uid.n);
	if (version.n > 0)
		memcpy(e->ids + uid.n + !e->uuid, version.p, version.n);
}

/* ---- lines (doc/protocol.md, "Event lines") ---- */

static void
printed(struct deltafifo *f)
{
	f->counters.lines++;
	out_added(f->out);
}

static void
begin_line(
    struct deltafifo *f, struct buf *b, const char *type, uint64_t length)
{
	char now[CLOCK_RFC3339_MAX];

	buf_adds(b, "{\"type\":\"");
	buf_adds(b, type);
	buf_adds(b, "\",");
	if (f->form == DELTAFIFO_TIMESTAMPS) {
		clock_format_us(clock_real_us(), now);
		buf_addf(b, "\"time\":\"%s\",", now);
	}
	if (length > 0)
		buf_addf(b, "\"tooLarge\":%" PRIu64 ",", length);
	buf_adds(b, "\"object\":");
}

static void
print(struct deltafifo *f, const char *type, const struct deltafifo_version *v)
{
	struct buf *b = out_buf(f->out);

	if (f->form != DELTAFIFO_OBJECTS) {
		begin_line(f, b, type, v->length);
		buf_addspan(b, v->body);
		if (v->names.n > 0)
			buf_addf(
			    b, ",\"manager\":\"%.*s\"", SPAN_ARG(v->names));
		buf_adds(b, "}\n");
	} else if (v->length == 0) { /* an identity is not an object */
		buf_addspan(b, v->body);
		buf_addc(b, '\n');
	}
	printed(f);
}

/* Begins a line without an object of the server, up to its metadata. */
static struct buf *
begin_made_up(struct deltafifo *f, const char *type, const char *api_version,
    const char *kind)
{
	struct buf *b = out_buf(f->out);

	begin_line(f, b, type, 0);
	buf_adds(b, "{\"apiVersion\":");
	json_add_str(b, api_version);
	json_add_text(b, "kind", span_str(kind));
	buf_adds(b, ",\"metadata\":{");
	return b;
}

/* A DELETED that is made up. */
static void
print_made_up(
    struct deltafifo *f, const struct deltafifo_entry *e, const char *uid)
{
	struct buf *b;

	if (f->form == DELTAFIFO_OBJECTS)
		return;
	b = begin_made_up(f, "DELETED", e->index->api_version, e->index->kind);
	json_add_text(b, "name", name_of(e));
	if (e->ns_len > 0)
		json_add_text(b, "namespace", span_make(e->text, e->ns_len));
	json_add_text(b, "uid", span_str(uid));
	buf_adds(b, ",\"annotations\":{\"kpipe.dev/synthetic\":\"true\"}}}}\n");
	printed(f);
}

/* Prints the line that is due for e; frees e if it is gone. */
static void
tell(struct deltafifo *f, struct deltafifo_entry *e,
    const struct deltafifo_version *v)
{
	struct buf uid = BUF_INIT;

	if (e->told && told_uid(e) != NULL) {
		print_made_up(f, e, told_uid(e));
		e->told = false;
		/* An object that came after it may be gone unread, too. */
	}
	set_told_uid(e, NULL);
	shrink_news(e);
	if (e->alive) {
		print(f, e->told ? "MODIFIED" : "ADDED", v);
		e->told = true;
		return;
	}
	if (v->body.n > 0 && f->form != DELTAFIFO_OBJECTS)
		print(
		    f, "DELETED", &(struct deltafifo_version){.body = v->body});
	else {
		add_uid(&uid, e);
		print_made_up(f, e, buf_str(&uid));
		buf_release(&uid);
	}
	entry_free(f, e);
}

/* The body that waits now; the caller frees it. */
static struct buf
take_body(struct deltafifo *f, struct deltafifo_entry *e)
{
	struct buf body = BUF_INIT;

	if (e->news != NULL) {
		body = e->news->body;
		e->news->body = (struct buf)BUF_INIT;
	}
	if (e->last)
		f->gone -= body.len;
	e->last = false;
	return body;
}

static void
keep_body(struct deltafifo *f, struct deltafifo_entry *e, struct span body)
{
	struct buf old = take_body(f, e);

	buf_release(&old);
	if (!e->alive && body.n > LAST_MAX - f->gone) {
		f->counters.made_up++;
		return;
	}
	if (body.n > 0)
		buf_add(&entry_news(e)->body, body.p, body.n);
	e->last = !e->alive;
	if (e->last)
		f->gone += body.n;
	f->held += body.n;
}

/* follows: it is the next version of what waits. */
static void
keep_names(struct deltafifo_entry *e, struct span names, bool follows)
{
	struct buf *kept;

	if (names.n == 0 && e->news == NULL)
		return;
	kept = &entry_news(e)->names;
	if (follows) {
		writers_unite(kept, names);
		return;
	}
	buf_reset(kept);
	buf_addspan(kept, names);
}

/* Prints at once if nothing waits; else the newest body is kept. */
static void
tell_or_queue(struct deltafifo *f, struct deltafifo_entry *e,
    const struct deltafifo_version *v, bool follows)
{
	f->counters.events++;
	if (f->first == NULL && !out_full(f->out)) {
		tell(f, e, v);
		return;
	}
	if (e->item.queued)
		f->counters.coalesced++;
	keep_body(f, e, v->body);
	keep_names(e, v->names, follows);
	if (e->news != NULL)
		e->news->length = v->length;
	enqueue(f, &e->item);
}

struct writers **
deltafifo_entry_writers(struct deltafifo_entry *e)
{
	return &e->writers;
}

bool
deltafifo_entry_lives(const struct deltafifo_entry *e, struct span uid)
{
	return e->alive && e->ids != NULL && uid_is(e, uid);
}

void
deltafifo_put(struct deltafifo *f, struct deltafifo_entry *e,
    const struct deltafifo_version *v)
{
	bool follows = e->item.queued && deltafifo_entry_lives(e, v->uid);

	set_ids(e, v->uid, v->version);
	e->alive = true;
	tell_or_queue(f, e, v, follows);
}

void
deltafifo_delete(struct deltafifo *f, struct deltafifo_entry *e,
    struct span uid, struct span body)
{
	if (uid.p != NULL)
		set_ids(e, uid, SPAN_NONE);
	if (body.p == NULL)
		f->counters.made_up++;
	e->alive = false;
	tell_or_queue(f, e, &(struct deltafifo_version){.body = body}, false);
}

void
deltafifo_index_sweep(struct deltafifo *f, struct deltafifo_index *ix,
    const void *owner, uint32_t mark)
{
	struct deltafifo_entry **all =
	    (struct deltafifo_entry **)map_sorted(&ix->entries);
	size_t count = ix->entries.count;

	for (size_t i = 0; i < count; i++) {
		struct deltafifo_entry *e = all[i];

		if (e->alive &&
		    (owner == NULL || (e->owner == owner && e->mark != mark)))
			deltafifo_delete(f, e, SPAN_NONE, SPAN_NONE);
	}
	free(all);
}

void
deltafifo_last(struct deltafifo *f, struct deltafifo_entry *e)
{
	struct deltafifo_item **at = &f->first, *i = &e->item;

	if (!i->queued)
		return;
	while (*at != i)
		at = &(*at)->next;
	*at = i->next;
	if (i->next == NULL)
		f->last = at;
	i->next = NULL;
	i->queued = false;
	enqueue(f, i);
}

void
deltafifo_index_leave(
    struct deltafifo *f, struct deltafifo_index *ix, const void *owner)
{
	struct deltafifo_entry **all =
	    (struct deltafifo_entry **)map_sorted(&ix->entries);
	size_t count = ix->entries.count;

	for (size_t i = 0; i < count; i++) {
		if (all[i]->owner != owner)
			continue;
		deltafifo_last(f, all[i]);
		if (all[i]->alive)
			deltafifo_delete(f, all[i], SPAN_NONE, SPAN_NONE);
	}
	free(all);
}

static void
print_bookmark(struct deltafifo *f, const struct bookmark *m)
{
	static const char *const names[] = {[DELTAFIFO_BEGIN] = BOOKMARKS_BEGIN,
	    [DELTAFIFO_LISTED] = BOOKMARKS_LISTED,
	    [DELTAFIFO_ABSENT] = BOOKMARKS_ABSENT,
	    [DELTAFIFO_END] = BOOKMARKS_END};
	struct buf *b;

	if (f->form == DELTAFIFO_OBJECTS)
		return;
	b = begin_made_up(f, "BOOKMARK", m->api_version, m->kind);
	buf_adds(b, "\"annotations\":{");
	json_add_str(b, names[m->which]);
	buf_addc(b, ':');
	json_add_string(b, span_str(m->value));
	buf_adds(b, "}}}}\n");
	printed(f);
}

void
deltafifo_bookmark(struct deltafifo *f, const struct deltafifo_index *ix,
    enum deltafifo_bookmark which, const char *value)
{
	size_t n = strlen(value);
	struct bookmark *m = mem_zalloc(sizeof(*m) + n + 1);

	m->item.is_bookmark = true;
	m->which = which;
	m->api_version = ix->api_version;
	m->kind = ix->kind;
	memcpy(m->value, value, n);
	enqueue(f, &m->item);
	deltafifo_pump(f);
}

/* Prints what waits of an entry. */
static void
print_entry(struct deltafifo *f, struct deltafifo_entry *e)
{
	struct buf body = take_body(f, e), names = BUF_INIT;
	struct deltafifo_version v = {.body = buf_span(&body)};

	if (e->news != NULL) {
		names = e->news->names;
		e->news->names = (struct buf)BUF_INIT;
		v.names = buf_span(&names);
		v.length = e->news->length;
	}
	tell(f, e, &v);
	buf_release(&body);
	buf_release(&names);
}

void
deltafifo_pump(struct deltafifo *f)
{
	enum { MUCH = 4 * 1024 * 1024 };

	while (f->first != NULL && !out_full(f->out)) {
		struct deltafifo_item *i = dequeue(f);

		if (i->is_bookmark) {
			print_bookmark(f, (struct bookmark *)i);
			free(i);
		} else {
			print_entry(f, (struct deltafifo_entry *)i);
		}
	}
	if (f->first != NULL)
		return;
	if (f->held > MUCH)
		malloc_trim(0); /* a slow reader's bodies, scattered */
	f->held = 0;
}
