/*
 * parameters: what the query and the body of a write say besides the object:
 * CreateOptions, UpdateOptions, PatchOptions, DeleteOptions.
 * Source: apimachinery/pkg/apis/meta/v1/validation.
 */
#ifndef PARAMETERS_H
#define PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "request/request.h"

/* metav1.DeleteOptions; zeroed: none given. */
struct delete_options {
	bool has_grace;
	int64_t grace_seconds;
	/* "", "Background", "Foreground" or "Orphan" */
	struct span policy;
	bool has_orphan, orphan; /* orphanDependents, deprecated */
	struct span uid;	 /* preconditions; none: any */
	struct span version;
	bool dry_run;
};

/* Sets field_manager, field_validation, dry_run, force. kind: CreateOptions
 * and so on; apply: of a server-side apply. A problem is a 422. */
struct problem *parameters_of_write(
    struct request *r, const char *kind, bool patch, bool apply);

/* From the body, or from the query where there is none. */
struct problem *parameters_of_delete(
    struct request *r, struct delete_options *options);

/* A whole number, as Go's strconv.ParseInt reads it, in the words of its
 * error. */
struct problem *parameters_int(
    struct arena *a, struct span text, int64_t *value);

/* The media type of the body, without parameters, lower case; "" if none. */
struct span request_body_type(struct request *r);
/*
 * Reads the body, JSON or YAML (protobuf became JSON before). A problem is a
 * 415. *object NULL: the body is not an object; *wrong has the server's words. *duplicate: the first field that JSON has twice; *twice: the keys that
 * YAML has twice, of tree_parse_yaml.
 */
struct problem *request_body(struct request *r, struct node **object,
    struct span *duplicate, struct span *twice, struct span *wrong);
/* The beginning of a body that cannot be read, as the server quotes it. */
struct span request_body_summary(struct arena *a, struct span body);

#endif
