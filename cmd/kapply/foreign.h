/*
 * foreign: deletions of objects that are not members (delete_foreign of the jq
 * library). They are not ours by any proof, so little is certain: only the
 * version that the program saw is deleted, and nothing that a kpipe operator
 * has made, nor what is never adopted (spare.h).
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "send.h"

/* The object of c's item was read: deletes it, drops the item, or fails. */
void foreign_read(struct call *c, struct span object);

#endif
