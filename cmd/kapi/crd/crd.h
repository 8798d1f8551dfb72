/*
 * crd: CustomResourceDefinitions, and what is special about the objects that
 * they define.
 *
 * crds_new puts a hook on the collection of definitions. Some moments after a
 * definition was written (in the next turn of the loop) its names are accepted
 * or not, its status is written, and a struct resource for each served version
 * is in the registry; when it was deleted, its objects go first. No other
 * module adds or removes such resources.
 *
 * A changed definition gives a new struct crd and new resources; the old
 * resources are marked removed, and every watch of them is to end.
 * Source: apiextensions-apiserver/pkg/{apis/apiextensions/validation,
 * controller/{status,establish,finalizer},registry/customresource*}.
 */
#ifndef CRD_H
#define CRD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "type/api.h"
#include "type/decode.h"
#include "type/problem.h"
#include "type/resource.h"

struct crd_column {
	struct span name, type, format, description;
	struct span json_path; /* .spec.replicas */
	int64_t priority;
};

struct crd_scale { /* all JSON paths with their leading dot */
	struct span spec_replicas, status_replicas;
	struct span label_selector; /* none: absent */
};

struct crd_version {
	struct span name;
	bool served, storage, deprecated;
	struct span deprecation_warning; /* filled in where deprecated */
	/* Columns of the definition; none: the server's own column Age. */
	const struct crd_column *columns;
	size_t column_count;
	const struct span *selectable; /* JSON paths with their leading dot */
	size_t selectable_count;
	bool has_status, has_scale;
	bool has_embedded; /* resources within the object */
	bool has_rules;	   /* x-kubernetes-validations, not evaluated */
	struct crd_scale scale;
	const struct node *schema_json; /* openAPIV3Schema; NULL: none */
	const struct schema *schema;	/* never NULL */
	struct resource *resource;	/* in the registry only if served */
};

/* A state of a definition's spec; never changes but for refs and
 * terminating. Its resources live in it. */
struct crd {
	size_t refs;
	struct arena arena; /* everything below; owned */
	struct span name, uid;
	struct span group, plural, singular, kind,
	    list_kind; /* accepted names */
	bool namespaced;
	bool preserve_unknown; /* spec.preserveUnknownFields */
	bool terminating;      /* being deleted: creates are refused */
	struct crd_version *versions;
	size_t version_count;
};

/*
 * A module that keeps a struct resource of a CRD, or its schema, for longer
 * than one turn of the loop (a watch does) keeps its crd, too. NULL is fine: a
 * built-in resource has none, and lives as long as the registry.
 */
const struct crd *crd_ref(const struct crd *c);
void crd_unref(const struct crd *c);

/* The version that r serves; NULL if r is built in. */
const struct crd_version *crd_version_of(const struct resource *r);
/* The resource of the version that objects are kept in; it may be one that is
 * not served. r itself if r is built in. */
struct resource *crd_storage(struct resource *r);

/* Makes a struct crd from a stored definition; its resources get the strategy
 * (kinds_custom). NULL with err: a field is missing. */
struct crd *crd_make(const struct node *definition,
    const struct strategy *strategy, struct err *err);

/*
 * Objects of a CRD, in the order in which a write calls these (r->crd is not
 * NULL in all of them): the steps of kinds_custom.
 *
 * decode: apiVersion and kind are right already. metadata and that of embedded
 * resources is decoded as ObjectMeta, unknown fields are pruned (and noted),
 * defaults are filled in. A problem is a 400. unknown NULL: object is what an
 * apply made; its nulls stay.
 * prepare and validate: as builtin_prepare and builtin_validate: status and
 * generation; then type meta, schema, scale, embedded resources, list types.
 * metadata itself is objectmeta_validate's.
 */
struct problem *crd_decode(struct arena *a, const struct resource *r,
    struct node *object, struct warnings *unknown);
void crd_prepare(struct arena *a, const struct resource *r,
    struct span subresource, const struct node *live, struct node *object);
/* On the way into the store, with r from crd_storage: its version, its defaults
 * (of status, too, which prepare takes from what is stored), numbers as Go
 * writes them (validation tells 1.0 from 1), members sorted. */
void crd_keep(struct arena *a, const struct resource *r, struct node *object);
void crd_validate(struct causes *c, const struct resource *r,
    struct span subresource, const struct node *live,
    const struct node *object);
/* Warnings of a write: names of finalizers that are new. */
void crd_warn(const struct resource *r, const struct node *live,
    const struct node *object, struct warnings *w);
/* 403 for a create while the definition is being deleted; else NULL. */
struct problem *crd_refuses_create(
    struct arena *a, const struct resource *r, struct span name);

/*
 * An object of another version as version r has it: conversion None
 * (apiVersion changes), pruned by r's schema; defaults are those of the version
 * that it comes from. Does nothing to an object that is in r's version. So it
 * serves reads in a version that is not the storage version, and writes on
 * their way into the store (with r from crd_storage). When a definition
 * changes, its stored objects are brought up to date with crd_refresh: reads
 * in the storage version need nothing.
 */
void crd_read(struct arena *a, const struct resource *r, struct node *object);
/* A stored object after its definition changed: defaults of the version that
 * it was stored in, then as r, the storage version, has it. */
void crd_refresh(
    struct arena *a, const struct resource *r, struct node *object);

/*
 * CustomResourceDefinitions themselves: decoded and kept as any built-in kind;
 * their strategy has these for its other steps.
 */
void crd_definition_default(struct arena *a, struct node *object);
void crd_definition_prepare(struct arena *a, struct span subresource,
    const struct node *live, struct node *object);
/* Changes object for its first deletion: sets deletionTimestamp, the finalizer
 * that makes it wait until its objects are gone, and a condition. The caller
 * stores object, and answers with it. */
void crd_definition_delete(
    struct arena *a, struct node *object, struct span now);
void crd_definition_validate(struct causes *c, struct span subresource,
    const struct node *live, const struct node *object);
/* Formats that are not known; CEL rules, which kapi does not evaluate. */
void crd_definition_warn(struct arena *a, const struct node *live,
    const struct node *object, struct warnings *w);

#endif
