/*
 * objref: a reference to an object of the API, and its spellings in
 * doc/protocol.md and for people. All spans borrow. An object of the cluster
 * has no namespace, the core group is "".
 */
#ifndef OBJREF_H
#define OBJREF_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"

struct objref {
	struct span api_version, kind, namespace_, name, uid;
	struct span group, version; /* the two parts of api_version */
};

/* "apps/v1" is group "apps", version "v1"; "v1" is of the core group, and so
 * is what is absent. The group is never absent. */
static inline void
objref_split(struct span api_version, struct span *group, struct span *version)
{
	const char *slash = span_find(api_version, '/');

	*group = span_str("");
	*version = api_version;
	if (slash != NULL)
		*group = span_cut(version, '/');
}

static inline struct span
objref_group(struct span api_version)
{
	struct span group, version;

	objref_split(api_version, &group, &version);
	return group;
}

/* "Kind.group", the core group's "Kind"; appended. */
void objref_add_kind(struct buf *b, struct span kind, struct span group);
/* Splits that again. */
void objref_split_kind(struct span text, struct span *kind, struct span *group);

/* The key of doc/protocol.md, "Kind.group/namespace/name"; appended. */
void objref_add_key(struct buf *b, const struct objref *o);
/* Sets kind, group, namespace and name of *o; the rest is absent. False: text
 * is not a key: it is taken for a kind without a group. */
bool objref_parse_key(struct objref *o, struct span text);
/* Whether the name can be part of a path, as every API server demands: not . or
 * .. and without / and % (apimachinery's IsValidPathSegmentName); and without
 * NUL, so that a key may be a C string. */
bool objref_name_fits(struct span name);
#define OBJREF_NAME_RULE "a name is not . or .. and has no /, % or NUL"
/* Appends "Kind.group namespace/name", for people. */
void objref_add_label(struct buf *b, const struct objref *o);

#endif
