/*
 * send: an item's requests, their answers, and the error texts of both.
 */
#ifndef SEND_H
#define SEND_H

#include "apply.h"

struct call {
	struct key *key;
	struct item *item;
	enum kube_verb verb;
	bool if_absent;	 /* an apply that only creates */
	struct span uid; /* sent with an apply, borrowed from the item */
	const struct api_resource *resource;
};

/* The field manager of a set; borrowed. */
struct span send_manager(const struct apply *a, const struct set *s);
/* For fields of what is not a member each primary has one of its own, so that
 * giving back takes from no other. It ends in this part, as hex, of the digest
 * that names the primary's mark. */
enum { SEND_SUFFIX_BYTES = 8 };
struct span send_patch_manager(const struct key *k);
/* The one with which the item is written. */
struct span send_item_manager(const struct key *k, const struct item *i);
/* Starts one request for the item. */
void send_item(struct key *k, struct item *i);
/* "cannot VERB Kind.group ns/name: REASON" as the item's failure. */
void send_fail_with(struct key *k, struct item *i, enum retry_kind kind,
    int64_t retry_after_ms, struct span reason);
/* Fails the item for an answer of the server, or none. */
void send_fail_by(struct call *c, enum retry_kind kind,
    const struct kube_error *e, struct span reason);
/* A Namespace or CRD was accepted just now: what needs it may still fail. */
bool send_is_early(const struct apply *a);
/* answer.c: a kube_done_fn; arg is the struct call, freed by it. */
void answer_take(void *arg, const struct kube_answer *answer);

#endif
