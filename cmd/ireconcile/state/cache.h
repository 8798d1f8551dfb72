/*
 * cache: every observed object, as compact text.
 *
 * A tree of libjq needs nine times the memory of its text, so objects are kept
 * as text and parsed only for an evaluation. Values that events and comparisons
 * need often (uid, version, terminating) are kept as offsets into that text.
 * The text itself is packed, unless it is in use (shelf.h): a span of it, or of
 * one of its values, is good until cache_rest.
 *
 * Objects are found by kind and "NAMESPACE\0NAME" (the NUL sorts namespaces
 * as wholes). Names are decoded (json_name): they are encoded where a line is
 * written. They are replaced, never changed: a pointer to an object is valid
 * until the next cache_put or cache_drop of its key.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"
#include "conf/watches.h"
#include "state/shelf.h"

struct use;
struct entry_bucket;

struct cache_kind {
	char *name; /* "Deployment.apps", as in keys of objects */
	const struct watch_kind *conf; /* the first with this kind */
	struct map objects;	       /* by key: struct cache_object */
	struct shelf shelf;	       /* texts of objects and desired items */
	struct map rate_limited, backoffs; /* see ratelimit.h */
	bool announced;			   /* a begin was seen */
	bool complete;
	bool absent;	   /* empty, because the server lacks the kind */
	struct map listed; /* until complete: the complete namespaces */
	uint32_t epoch;	   /* number of begins */
	size_t too_large;  /* number of objects */
	struct use **uses;
	size_t use_count;
	bool hides; /* `redact:` names fields of it, in any entry */
};

/* A value in an object's text; n 0: none. */
struct cache_part {
	uint32_t at, n;
};

struct cache_object {
	struct cache_kind *kind;
	union {
		struct entry_bucket *one, **many; /* many: owned */
	} buckets;				  /* see cache_object_buckets */
	uint64_t serial; /* differs for every content ever seen */
	struct shelf_text text;
	uint32_t bucket_count;
	uint32_t epoch; /* kind->epoch when it was last mentioned */
	uint32_t key_len, ns_len;
	uint32_t uid_at, uid_len; /* in the text; len 0: none */
	uint32_t rv_at, rv_len;
	struct cache_part metadata, annotations;
	bool terminating;
	bool marked;	   /* the object has marks */
	bool proven;	   /* the marks have a proof; see marks.h */
	bool proven_owner; /* the controller reference has a proof */
	bool unproven;	   /* the marks have no proof, and count */
	bool retained;	   /* the marks say that it is never deleted */
	bool too_large;	   /* the text is only its identity and its status */
	uint16_t instance; /* the maker: a number of instances.h */
	uint32_t room_at;  /* place in the list of the cache_room */
	char data[];	   /* key */
};

static inline struct span
cache_object_key(const struct cache_object *o)
{
	return span_make(o->data, o->key_len);
}

static inline struct span
cache_object_namespace(const struct cache_object *o)
{
	return span_make(o->data, o->ns_len);
}

static inline struct span
cache_object_name(const struct cache_object *o)
{
	return span_make(o->data + o->ns_len + 1, o->key_len - o->ns_len - 1);
}

/* The bucket_count buckets of o (index.h); mostly one, which needs no array. */
static inline struct entry_bucket *const *
cache_object_buckets(const struct cache_object *o)
{
	return o->bucket_count > 1 ? o->buckets.many : &o->buckets.one;
}

/* Opens the text: what the object says does not change. */
static inline struct span
cache_object_text(const struct cache_object *o)
{
	return shelf_read(&o->kind->shelf, (struct shelf_text *)&o->text);
}

static inline struct span
cache_object_part(const struct cache_object *o, struct cache_part part)
{
	return part.n == 0
	    ? SPAN_NONE
	    : span_make(cache_object_text(o).p + part.at, part.n);
}

static inline struct span
cache_object_uid(const struct cache_object *o)
{
	return span_make(cache_object_text(o).p + o->uid_at, o->uid_len);
}

static inline struct span
cache_object_version(const struct cache_object *o)
{
	return span_make(cache_object_text(o).p + o->rv_at, o->rv_len);
}

/* A member of the metadata, raw; SPAN_NONE if it is not there. */
struct span cache_object_meta(const struct cache_object *o, const char *key);
/* An annotation, raw; SPAN_NONE if it is not there. */
struct span cache_object_annotation(
    const struct cache_object *o, const char *key);

void cache_object_add_bucket(struct cache_object *o, struct entry_bucket *b);
void cache_object_drop_buckets(struct cache_object *o);

bool cache_object_has_finalizer(const struct cache_object *o, const char *name);

/* A number that changes with the spec; the serial if there is no generation. */
int64_t cache_object_generation(const struct cache_object *o);

/* The objects in a namespace, of every kind. */
struct cache_room {
	struct cache_object **list; /* owned, in no order */
	uint32_t count, name_len;
	char name[];
};

struct cache {
	struct cache_kind **kinds;
	size_t kind_count;
	struct map by_name; /* "Deployment.apps": struct cache_kind */
	uint64_t serial;
	/* By name: struct cache_room. Only kept if has_rooms, for entries that
	 * delete Namespaces. */
	bool has_rooms;
	bool live; /* kinds never announced are not complete */
	struct map rooms;
};

void cache_release(struct cache *s);

/* Between two pieces of work, when no span of a text is held: packs and closes
 * the texts, if they are more than `above` bytes. */
void cache_rest(struct cache *s, size_t above);

/* The kind of this name, made if it is new. */
struct cache_kind *cache_add_kind(
    struct cache *s, const struct watch_kind *conf);
/* NULL if the kind is not used. */
struct cache_kind *cache_kind(
    const struct cache *s, struct span api_version, struct span kind);

/* Notes that all objects of k in this namespace are in the store, though not
 * yet those in others; or that this is not known for any namespace. */
void cache_kind_listed(struct cache_kind *k, struct span ns);
void cache_kind_unlisted(struct cache_kind *k);

/*
 * The object of a document whose text was checked: compact, without
 * managedFields and escapes that it does not need (json_plain), not yet in the
 * store. NULL if it has no name, or one with a NUL, as no label can have.
 */
struct cache_object *cache_object_new(
    struct cache *s, struct cache_kind *k, struct span text);
void cache_object_free(struct cache_object *o);
/* The line says that the object is too large (doc/protocol.md, "Large
 * objects"). */
void cache_object_too_large(struct cache_object *o);

/* Whether all objects of the kind are in the store, as far as is known. */
static inline bool
cache_knows(const struct cache *s, const struct cache_kind *k)
{
	return k->complete || (!k->announced && !s->live);
}

/* Puts o into the store, in place of old (or NULL); takes o out of it. */
void cache_enter(
    struct cache *s, struct cache_object *o, const struct cache_object *old);
void cache_leave(struct cache *s, const struct cache_object *o);
/* NULL: nothing is known to be in that namespace. */
const struct cache_room *cache_room(const struct cache *s, struct span ns);

struct cache_object *cache_get(const struct cache_kind *k, struct span key);

/* "NAMESPACE\0NAME", appended. */
void cache_add_key(struct buf *b, struct span ns, struct span name);
/* "Kind.group/namespace/name", as lines and marks spell it, appended. */
void cache_object_label(struct buf *b, const struct cache_kind *k,
    struct span ns, struct span name);
void cache_object_add_label(struct buf *b, const struct cache_object *o);

#endif
