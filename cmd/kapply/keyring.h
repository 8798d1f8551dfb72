/*
 * keyring: the key that proves marks, from a Secret in the cluster. The first
 * process creates it; it is read back, so that all have the same one.
 *
 * It is looked at from time to time: one that was deleted is made again, with
 * the key that this process holds, since a new one would prove none of the marks
 * that there are. That it has another key is trouble, which is told until it has
 * ours again. A key that was added beside ours is for the next start.
 *
 * Its own connection: what holds back the writes of a standby does not hold
 * back this one, which changes nothing that is there.
 */
#ifndef KEYRING_H
#define KEYRING_H

#include "kube/kube.h"
#include "kube/proof.h"
#include "kube/retry.h"
#include "process/loop.h"

/* NULL: proof has the key; else what time does not mend. */
typedef void keyring_done_fn(void *arg, const struct err *err);
/* The Secret is not as it has to be, since text; NULL: it is again. */
typedef void keyring_trouble_fn(void *arg, const char *text);

struct keyring {
	struct loop *loop;   /* borrowed, as is proof */
	struct proof *proof; /* is filled */
	struct kube *kube;
	char *namespace_, *name, *path, *list; /* owned */
	bool dry_run; /* one that is not there is made up, and kept to us */
	uint64_t check_ms; /* between two looks; 0: one is enough */
	keyring_trouble_fn *trouble;
	keyring_done_fn *done;
	void *arg;
	struct timer timer;
	struct kube_backoff backoff;
	bool has;  /* proof has the key */
	bool said; /* what is wrong */
};

/*
 * secret: "[NAMESPACE/]NAME"; the namespace is else $POD_NAMESPACE, or that of
 * the kubeconfig. The caller has set proof, dry_run, check_ms and trouble.
 * -1 with err: nothing was started. done is called once, from the loop.
 */
int keyring_start(struct keyring *r, struct loop *l, const char *secret,
    keyring_done_fn *done, void *arg, struct err *err);
/* Not from done. */
void keyring_release(struct keyring *r);

#endif
