/*
 * keyring: the key that proves marks, from a descriptor or from a Secret in the
 * cluster. The first process creates the Secret; it is read back, so that all
 * have the same key.
 *
 * The Secret is looked at from time to time: one that was deleted is made again,
 * with the key that this process holds, since a new one would prove none of the
 * marks that there are. Another key ends readiness until the Secret has ours
 * again. A key that was added beside ours is for the next start.
 *
 * The connection is its own: what holds back the writes of a standby does not
 * hold back this one, which changes nothing that is there.
 */
#ifndef KEYRING_H
#define KEYRING_H

#include "apply.h"

struct keyring;

/*
 * Fills the proof of a, as its options say; until that is done the writer waits.
 * The namespace of a Secret is else $POD_NAMESPACE, or that of the kubeconfig.
 * *r: NULL if there is no Secret. -1 with err: nothing was started. What time
 * does not mend ends the run.
 */
int keyring_open(struct keyring **r, struct apply *a, struct err *err);
void keyring_free(struct keyring *r);

#endif
