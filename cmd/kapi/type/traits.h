/*
 * traits: what the strategies of built-in kinds differ in.
 * Source: pkg/registry/<group>/<kind>/{strategy,storage/storage}.go.
 */
#ifndef TRAITS_H
#define TRAITS_H

#include "type/names.h"
#include "type/resource.h"

enum trait {
	TRAIT_CREATE_ON_UPDATE = 1, /* PUT of an absent object creates it */
	TRAIT_NEEDS_VERSION = 2,    /* PUT must name the resourceVersion */
	TRAIT_RETURNS_DELETED = 4,  /* DELETE answers with the object */
	TRAIT_ORPHANS = 8,	    /* dependents stay unless told otherwise */
	TRAIT_NO_COLLECTION = 16,   /* no dependents at all: Events */
	TRAIT_VALIDATES_TWICE =
	    32 /* an update checks metadata as a create, too */
};

unsigned traits(const struct resource *r);
enum name_rule traits_name_rule(const struct resource *r);

#endif
