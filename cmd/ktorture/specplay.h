/*
 * specplay: what an operator makes of an edit of its primary.
 *
 * The example is made, edited once or twice, and put back (specs.h). After the
 * edits the end has to be that of a fresh operator, in a new cluster, of an
 * object that has had this content from the beginning: the one that the server
 * holds then, so that what it refused, dropped or set by default does
 * not differ. After the example was put back, the end has to be that of the
 * example alone. Both ends are judged by oracle/, without what an edit may well
 * do: to make an object twice, to ask more, to let a status go back. What a claim
 * is the example shows, as a fresh operator may end with another.
 *
 * A fresh operator, too, may fail with a spec, as it means nothing to it. Then
 * what there was may stay, and only the conditions have to be those of the fresh
 * one. An operator that fails says so: its log tells of an error of the primary, and the status is another
 * one than that of the example (invariant "claim").
 *
 * A command that has run cannot be put back. An end of which a rule of the author
 * is true, {"remembers":NAME,"jq":TEXT}, is not compared.
 */
#ifndef SPECPLAY_H
#define SPECPLAY_H

#include <jv.h>
#include <stddef.h>

#include "campaign.h"

/* Plays the example alone, twice, and sets r->specs; what is wrong with it in
 * *found, owned. -1 with err. */
int specplay_begin(
    struct campaign *r, struct world *w, jv *found, struct err *err);
void specplay_free(struct specplay *p); /* NULL: nothing */

/* How many there are; 0 without r->specs. Singles are of one edit. */
size_t specplay_count(const struct campaign *r);
size_t specplay_singles(const struct campaign *r);
/* The edits of the n-th; owned. */
jv specplay_edits(const struct campaign *r, size_t n);

/* The violations, owned; the record of the play in which it is edited in
 * *record, owned, unless that is NULL. Invalid with err. */
jv specplay_play(struct campaign *r, struct world *w, jv edits_peek,
    const char *recording, jv *record, struct err *err);

#endif
