/*
 * secret: stringData of Secrets. The API server stores it as data, and notes
 * as ours what was sent: `stringData`, a field that does not exist. So a key
 * that is no longer sent would stay, and with it a password that was revoked.
 *
 * Items of sets are therefore sent with data alone. Keys that earlier applies
 * left behind have no owner in metadata.managedFields, and are removed.
 *
 * Source: Convert_v1_Secret_To_core_Secret (pkg/apis/core/v1/conversion.go);
 * both servers of t/ do the same (t/3249-string-data.sh).
 */
#ifndef SECRET_H
#define SECRET_H

#include "base/buf.h"
#include "set/set.h"

/* Appends the item's object as it is sent. What is not a Secret, or has
 * stringData that is not of texts, stays as it is: the server refuses it. */
void secret_spell(struct buf *b, const struct item *i);

/*
 * A merge patch that removes from live, the answer to the apply of the item,
 * the keys of data without an owner. False: there are none, or it is not a
 * Secret.
 */
bool secret_trim(struct buf *b, const struct item *i, struct span live);

#endif
