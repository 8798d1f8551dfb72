/*
 * pageline: the lines of JSON of which a page is made, in a file (pagefile.h)
 * and live (showing.h):
 *
 *	{"track":0,"kind":"","namespace":"","name":""}  before its first row;
 *		live also "there":true, "decides":true
 *	{"track":3,"parent":0}                          when that is known
 *	[US or null, LINE, "SORT", TRACK, "TEXT", {DETAILS}]
 *	{"track":3,"object":{...}}                      the last version until now
 *	{"track":3,"standing":{"phase":"","ready":""}}  live: standing.h
 *	{"forget":3}                                    live: its rows are gone,
 *		the next track may have its number
 *
 * Each "<" is written as \u003c, which JSON knows and HTML does not: no text of
 * a recording can end the script or begin a comment.
 */
#ifndef PAGELINE_H
#define PAGELINE_H

#include "base/buf.h"
#include "track.h"
#include "viewrow.h"

/* Each appends a line, without a newline; the caller ends it. */
void pageline_add_track(struct buf *b, const struct track *t);
void pageline_add_parent(struct buf *b, const struct track *t);
void pageline_add_object(struct buf *b, const struct track *t);
void pageline_add_row(struct buf *b, const struct viewrow *row);

/* Appends line as it may stand in a page. */
void pageline_add_escaped(struct buf *b, struct span line);

#endif
