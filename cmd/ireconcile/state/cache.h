/*
 * cache: every observed object, as compact text.
 *
 * A tree of libjq takes nine times the room of its text, so objects are held
 * as text and parsed only for an evaluation. What events and comparisons need
 * often (uid, version, terminating) is kept as offsets into that text.
 *
 * Objects are found by kind and "NAMESPACE\0NAME" (the NUL sorts namespaces
 * as wholes). They are replaced, never changed: a pointer to an object is
 * good until the next store_put or store_drop of its key.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"
#include "conf/watches.h"

struct use;
struct bucket;

struct kind {
	char *name; /* "Deployment.apps", as in keys of objects */
	const struct watch_kind *conf; /* the first that names it */
	struct map objects;	       /* by key: struct object */
	struct map late, backoffs;     /* see late.h */
	bool announced;		       /* a begin was seen */
	bool complete;
	uint32_t epoch; /* number of begins */
	struct use **uses;
	size_t use_count;
};

/* A value in an object's text; n 0: it is not there. */
struct object_part {
	uint32_t at, n;
};

struct object {
	struct kind *kind;
	struct bucket **buckets; /* where it is linked; see index.h */
	uint64_t serial;	 /* differs for every content ever seen */
	uint32_t bucket_count;
	uint32_t epoch; /* kind->epoch when it was last mentioned */
	uint32_t key_len, ns_len;
	uint32_t text_len;
	uint32_t uid_at, uid_len; /* in the text; len 0: none */
	uint32_t rv_at, rv_len;
	struct object_part metadata, annotations;
	bool terminating;
	bool proven;   /* its marks are; see marks.h */
	bool unproven; /* they are not, and count */
	char data[];   /* key, then text */
};

static inline struct span
object_key(const struct object *o)
{
	return span_make(o->data, o->key_len);
}

static inline struct span
object_namespace(const struct object *o)
{
	return span_make(o->data, o->ns_len);
}

static inline struct span
object_name(const struct object *o)
{
	return span_make(o->data + o->ns_len + 1, o->key_len - o->ns_len - 1);
}

static inline struct span
object_text(const struct object *o)
{
	return span_make(o->data + o->key_len, o->text_len);
}

static inline struct span
object_uid(const struct object *o)
{
	return span_make(o->data + o->key_len + o->uid_at, o->uid_len);
}

static inline struct span
object_version(const struct object *o)
{
	return span_make(o->data + o->key_len + o->rv_at, o->rv_len);
}

static inline struct span
object_part(const struct object *o, struct object_part part)
{
	return part.n == 0 ? SPAN_NONE
			   : span_make(o->data + o->key_len + part.at, part.n);
}

/* A member of the metadata, raw; SPAN_NONE if it is not there. */
struct span object_meta(const struct object *o, const char *key);
/* An annotation, raw; the same. */
struct span object_annotation(const struct object *o, const char *key);

/* What changes with the spec; the serial where there is no generation. */
int64_t object_generation(const struct object *o);

struct store {
	struct kind **kinds;
	size_t kind_count;
	struct map by_name; /* "Deployment.apps": struct kind */
	uint64_t serial;
};

void store_release(struct store *s);

/* The kind of this name, made if it is new. */
struct kind *store_add_kind(struct store *s, const struct watch_kind *conf);
/* NULL if nobody asked for it. */
struct kind *store_kind(
    const struct store *s, struct span api_version, struct span kind);

/*
 * The object of a document whose text was checked: compact, without
 * managedFields, not yet in the store. NULL if it has no name.
 */
struct object *object_new(struct store *s, struct kind *k, struct span text);
void object_free(struct object *o);

struct object *store_get(const struct kind *k, struct span key);

/* "NAMESPACE\0NAME", appended. */
void store_add_key(struct buf *b, struct span ns, struct span name);
/* "Kind.group/namespace/name", as lines and marks spell it, appended. */
void object_label(
    struct buf *b, const struct kind *k, struct span ns, struct span name);
void object_add_label(struct buf *b, const struct object *o);

#endif
