/*
 * json: JSON text, read and written without building trees.
 *
 * Three readers, from strict to fast:
 *   json_check  the whole grammar, UTF-8 and depth: for what strangers send;
 *   json_value, json_members, json_elements: a cursor over text that is
 *               known to be valid: spans in, spans out, nothing allocated;
 *   json_frame  one pass over a watch frame with 64-byte bitmaps (SSE2, or
 *               plain C), for the few fields that every event needs.
 * The cursor and the frame scanner read no byte beyond the span given, and
 * never crash on text that is not JSON: they then find less, or fail.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum { JSON_DEPTH_MAX = 256 }; /* the limit of libjq 1.6 */

/*
 * Exactly one JSON value with optional white space around it, in valid
 * UTF-8 without NUL bytes, nested at most JSON_DEPTH_MAX deep. A lone half of
 * a \u surrogate pair is refused, as jq does. err says what is wrong "at byte
 * N", the first being 1; err may be NULL.
 */
int json_check(struct span text, struct err *err);

/* Moves *p behind the number that it is at. False: *p is at the error. */
bool json_take_number(const char **p, const char *end);

enum json_type {
	JSON_INVALID,
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};
enum json_type json_type(struct span value);

/*
 * The value at the start of *text (leading white space skipped), with its
 * quotes and brackets; *text moves behind it. SPAN_NONE if there is none.
 */
struct span json_value(struct span *text);

/*
 * for (struct json_members m = json_members(object); json_member(&m);)
 *	... m.key (raw, without quotes), m.value (raw)
 */
struct json_members {
	struct span rest;
	struct span key; /* between its quotes; escapes not resolved */
	struct span value;
};
struct json_members json_members(struct span object);
bool json_member(struct json_members *m);
/* An object without members, or a value that is not an object. */
bool json_is_empty(struct span object);

/* for (struct json_elements e = json_elements(array); json_element(&e);) */
struct json_elements {
	struct span rest;
	struct span value;
};
struct json_elements json_elements(struct span array);
bool json_element(struct json_elements *e);
/* The first object in array whose member key is that string; else SPAN_NONE. */
struct span json_find(struct span array, const char *key, const char *text);

/* The value of a member, SPAN_NONE if absent. Keys are compared raw. */
struct span json_get(struct span object, const char *key);
struct span json_get_raw(struct span object, struct span key);
/* json_get for a key that is a name, or holds one: keys are decoded first. */
struct span json_get_named(struct span object, struct span name);
/* The value along a path such as "metadata.name". For a key with dots in it,
 * call json_get on its parent. */
struct span json_path(struct span object, const char *dotted);
/* Several members in one pass: found[n] is what json_get gives for keys[n]. */
void json_pick(struct span object, const char *const *keys, size_t count,
    struct span *found);

/*
 * A string value's text. If it has no escapes, the span between its quotes;
 * else it is unescaped into scratch (appended; the result points there and is
 * valid until scratch changes). SPAN_NONE if value is not a string.
 */
struct span json_string(struct span value, struct buf *scratch);
/* Appends the text of a string value; nothing for another one. */
void json_add_decoded(struct buf *b, struct span value);
/*
 * json_string for text that is kept, such as names: text without escapes is
 * borrowed from value, decoded text is in the arena, with a NUL behind it. A
 * name is decoded where it is read, once, and encoded where it is written:
 * roles may have quotes, backslashes and control characters in their names, and
 * one server writes "\u003c" where another writes "<".
 */
struct span json_name(struct span value, struct arena *names);
/*
 * The raw text between a string's quotes, escapes not resolved: for words that
 * have none (kinds, versions, times). SPAN_NONE if value is not a string.
 */
struct span json_raw_string(struct span value);
/*
 * Appends the JSON text with no escape that is not needed: "S\u0065cret"
 * becomes Secret. Then keys and names can be compared raw, as most readers here
 * do. Invisible characters stay escaped. False: there is nothing to change, and
 * nothing is appended.
 */
bool json_plain(struct span text, struct buf *out);
/* Integer value; false if it is not an integer or does not fit. */
bool json_int(struct span value, int64_t *n);
bool json_is(struct span value, const char *text); /* string equals text */

/* The parts of a watch frame {"type":...,"object":...} that kwatch needs. */
struct json_frame {
	struct span type;   /* ADDED, ... */
	struct span object; /* raw, whole */
	struct span api_version, kind;
	struct span metadata; /* raw, whole */
	struct span namespace_, name, uid,
	    resource_version;	    /* raw, no quotes */
	struct span annotations;    /* raw object */
	struct span managed_fields; /* "managedFields":[...] with its comma:
				     * cutting exactly this leaves valid JSON */
};
/* 0, or -1 if the line is not such a frame. */
int json_frame(struct span line, struct json_frame *frame);
/* json_frame for a bare object: fills all but type. */
int json_object_frame(struct span object, struct json_frame *frame);
/* Decodes namespace_, name, uid and resource_version, as json_name does. */
void json_frame_names(struct json_frame *frame, struct arena *names);

/* Writers: append to b. */
/* Quoted and escaped; bytes that are not UTF-8 become U+FFFD. */
void json_add_string(struct buf *b, struct span text);
void json_add_str(struct buf *b, const char *text);
void json_add_int(struct buf *b, int64_t n);
/* key must need no escape: ,"key": with the comma unless b ends in { or [ */
void json_add_key(struct buf *b, const char *key);
/* ,"key":"text", with the comma as json_add_key. */
void json_add_text(struct buf *b, const char *key, struct span text);
/* json_add_key for a key as it stands between the quotes of other JSON text. */
void json_add_raw_key(struct buf *b, struct span key);
void json_add_comma(struct buf *b); /* unless b ends in { or [ */
/* The value without members that are null, at any depth. */
void json_add_compact(struct buf *b, struct span value);

#endif
