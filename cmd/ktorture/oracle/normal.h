/*
 * normal: objects of two plays, compared without what differs in every play.
 *
 * Left out: uid, resourceVersion, creationTimestamp, generation, managedFields,
 * ports of nodes, addresses, and those of kpipe's marks whose value depends on
 * a key or a uid. Every time is equal to every other one, every UUID too. An
 * observedGeneration is compared as how far it is behind the object's own
 * generation. Conditions are compared by type, finalizers as a set; of owners,
 * by name, all but the uid and what is made up of the name.
 */
#ifndef NORMAL_H
#define NORMAL_H

#include <stdbool.h>
#include <stdint.h>
#include <jv.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"

/*
 * Paths that are not compared, with all below them, by the canon of an object
 * (played.h). Of a pattern, "*" is any key or index: ".status.nodes",
 * ".spec.*.image".
 */
struct normal_mask {
	struct map by_canon;	       /* to struct normal_paths; owned */
	struct normal_paths *patterns; /* of all objects of a kind; owned */
};
struct normal_paths {
	char *canon, *kind; /* kind NULL: of all */
	char **paths;
	size_t count;
	struct normal_paths *next;
};

void normal_mask_release(struct normal_mask *m);
void normal_mask_add(
    struct normal_mask *m, struct span canon, struct span path);
/* kind ("Deployment", or with its group) may be absent. path "." is all. */
void normal_mask_pattern(
    struct normal_mask *m, struct span kind, struct span path);
/* The patterns that such rules of a scenario name: "varies". */
void normal_mask_rules(struct normal_mask *m, jv rules_peek, const char *word);
bool normal_masked(const struct normal_mask *m, struct span canon,
    struct span kind, struct span path);

/* Whether there is a pattern for objects of this kind. */
bool normal_has_pattern(const struct normal_mask *m, struct span kind);

/* Called for each difference; a value that is not there is invalid. */
typedef void normal_differ(void *arg, struct span path, jv want, jv is);
void normal_compare(jv want_peek, jv is_peek, normal_differ *differ, void *arg);

/* Equal for values that normal_compare finds equal (and for hardly any others).
 * Differs from run to run of the program. */
enum normal_part {
	NORMAL_WANTED, /* what a request asks for: without the status */
	NORMAL_STATUS  /* the status alone */
};
uint64_t normal_hash(jv object_peek, enum normal_part part);

/* Whether it is a time, as "2006-01-02T15:04:05Z". */
bool normal_is_time(struct span text);

/* The value as text, for a message: cut after some bytes. Borrowed until the
 * next but three calls. */
const char *normal_show(jv value_peek);

#endif
