/*
 * request: one HTTP request: the verb and the object that it asks for, and its
 * answer. Source of paths and verbs:
 * apiserver/pkg/endpoints/request/requestinfo.go.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>

#include "base/arena.h"
#include "httpd/httpd.h"
#include "tree/tree.h"
#include "type/api.h"
#include "type/decode.h"
#include "type/problem.h"
#include "type/resource.h"

struct fault; /* faults.c */
struct user;  /* users.h */

enum verb {
	REQUEST_GET,
	REQUEST_LIST,
	REQUEST_WATCH,
	REQUEST_CREATE,
	REQUEST_UPDATE,
	REQUEST_PATCH,
	REQUEST_DELETE,
	REQUEST_DELETECOLLECTION,
	REQUEST_OTHER /* not on a resource: discovery, /version, ... */
};
const char *request_verb_name(
    enum verb v); /* "get", as in rules and journals */

/* How the answer is to look, from Accept. */
enum representation {
	AS_OBJECT,
	AS_TABLE,
	AS_PARTIAL, /* PartialObjectMetadata(List) */
	AS_YAML
};

struct request {
	struct arena arena; /* everything of this request; owned */
	struct api *api;
	struct exchange *exchange;
	const struct httpd_request *http;
	struct span path; /* decoded */
	bool on_resource; /* below /api/VERSION or /apis/GROUP/VERSION */
	bool extra_parts; /* something is behind the subresource */
	bool waited;	  /* for its namespace: router.c */
	uint64_t number;  /* from 1, in order of arrival */
	struct span user; /* the token's; "" if anonymous */
	struct span user_agent;
	enum verb verb;
	struct span group, version, plural, namespace_, name, subresource;
	struct resource *resource; /* NULL: REQUEST_OTHER, or unknown */
	enum representation as;
	struct span as_version; /* version of meta.k8s.io: v1, v1beta1 */
	bool as_list;		/* PartialObjectMetadataList was asked for */
	enum field_validation field_validation;
	struct span field_manager; /* the parameter; "" if absent */
	bool force, dry_run;
	struct warnings warnings;    /* each a Warning header */
	const struct user *identity; /* never NULL; with groups */
	/* For the journal. */
	bool changed;		 /* something was written to the store */
	bool forbidden;		 /* without the rights */
	uint64_t result_version; /* resourceVersion of the answer; 0: none */
	const char *fault;	 /* fault that a plan made; NULL: none */
	/* Faults: see faults.h. */
	const struct fault *answer_fault; /* instead of the answer; or NULL */
	const struct fault *gate_fault;	  /* on events of a watch; or NULL */
	const struct node *mutation; /* merge patch of admission; NULL: none */
	uint64_t stale; /* LIST as it was so many versions ago; 0: as it is */
	struct request *next_spare; /* router.c's */
};

/* A request of this exchange, from its arrival to request_free. The path is
 * read: verb, group, ... name, subresource. False: it is not a valid path. */
struct request *request_new(
    struct api *api, struct exchange *x, const struct httpd_request *http);
bool request_parse(struct request *r);
/* Sets as, as_version, as_list from Accept. A problem is a 406. */
struct problem *request_negotiate(struct request *r);

/* Frees the request and its arena; its exchange is left alone. */
void request_free(struct request *r);

/* Percent-encoded text, into the arena where anything is encoded. SPAN_NONE: a
 * bad escape. */
struct span request_decode(struct arena *a, struct span s, bool plus_is_space);
/* The decoded value of a query parameter, none if absent; several times:
 * the first. */
struct span request_param(const struct request *r, const char *name);
/* metav1's boolean: "false" and "0" are false, anything else given is true. */
bool request_flag(const struct request *r, const char *name);

/* All values of a parameter that may be given several times (dryRun). */
size_t request_params(
    const struct request *r, const char *name, struct span *values, size_t max);

#endif
