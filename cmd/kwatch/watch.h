/*
 * watch: one stream of events: a kind in one namespace, or in all.
 *
 * It never ends on its own: after any error it goes on from the last
 * resourceVersion, or lists again and compares if that has expired (410);
 * recovery.h has the table. The initial state comes by a watch-list (one
 * request, streamed) where the server offers it, else by a paged LIST. Facts:
 * client-go's reflector, 1.36.
 *
 * A server goes back when its etcd is restored from a backup. It answers a
 * watch from a version of the future with silence, and a list of such a version
 * with "Too large resource version" (after 3 s; kube-apiserver 1.36,
 * storage/cacher), as one does that lags behind others. Or it has passed that
 * version again: then the witness (witness.h) is not as it was. So after a
 * stream that ended before its time there is a list of one object. If the server
 * has gone back, all watches list again, and print every object: a version may
 * be another one than that of the same number before.
 */
#ifndef WATCH_H
#define WATCH_H

#include "frames.h"
#include "kind.h"
#include "pages.h"
#include "recovery.h"
#include "witness.h"

struct watch {
	struct kind *kind;
	const char *ns;	   /* NULL: all */
	struct room *room; /* of a selected namespace; or NULL */
	const void *owner; /* owner of the entries; outlives this watch */
	enum watch_state state;
	int end; /* enum recovery_end of the stream, by what it brought */
	struct kube_call *call;
	bool opening; /* call has no answer yet */
	struct timer timer;
	struct recovery recovery;
	struct frames frames;
	struct pages list;
	struct buf version;
	uint32_t mark; /* marks entries that this listing has */
	bool synced;   /* the listing is complete: version holds */
	bool ever_synced;
	bool excused; /* the initial state of the kind does not wait for it */
	bool told;    /* the reader knows, while others are not synced */
	uint64_t events;	/* number of events of this request */
	unsigned cut_short;	/* streams in a row that ended too early */
	bool doubted;		/* a denial, which the next try must confirm */
	struct trouble trouble; /* why it does not work now */
	uint64_t ends_ms;	/* when a stream should end */
	bool unsure;		/* whether the server has gone back */
	struct witness witness;
	enum witness_question asks; /* while unsure; NONE: for any object */
	bool every; /* print also versions that seem to be known */
};

/* ns NULL: all namespaces, or a cluster-scoped kind. Starts at once. */
struct watch *watch_new(struct kind *k, const char *ns);
/* The server has gone back. */
void watch_relist(struct watch *w);
void watch_free(struct watch *w); /* not from a callback of its request */

#endif
