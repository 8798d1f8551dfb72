/*
 * pagefile: writes the page: its parts, which are in the binary, with the rows
 * between them as lines of JSON (viewrow.h) in a
 * <script type="application/json">, and these:
 *
 *	{"source":"incident.jsonl","line":1}  lines from there on are of it
 *	{"end":{...}}                         the last line; see struct below
 *
 * Whole objects are written until they have taken a budget; rows always.
 */
#ifndef PAGEFILE_H
#define PAGEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "track.h"
#include "viewrow.h"

/* Beyond this many bytes of data, rows should be short. */
enum { PAGEFILE_THRIFTY = 24 * 1024 * 1024 };

struct pagefile {
	int fd; /* borrowed */
	struct buf out;
	struct buf line;
	char *source;	    /* owned; that of the last row */
	size_t source_line; /* number of its first line, among all */
	uint64_t written;   /* bytes of data */
	size_t whole;	    /* bytes of objects */
	size_t left_out;    /* objects beyond the budget */
	size_t rows;
	int error; /* errno of a write that failed, or 0 */
};

struct pagefile_end {
	size_t lines, bad;
	bool cut, timed;     /* a source was cut; lines have times */
	const char *failure; /* why the rest could not be read; NULL */
	const char *only;    /* --object; NULL */
};

/* title: any text. */
void pagefile_begin(struct pagefile *p, int fd, struct span title);
/* Rows from here on are of that source, whose first line has that number among
 * all lines. */
void pagefile_source(struct pagefile *p, const char *source, size_t line);
void pagefile_row(struct pagefile *p, const struct viewrow *row);
/* Writes the rest. -1 with p->error. */
int pagefile_end(struct pagefile *p, const struct tracks *all,
    const struct pagefile_end *end);
void pagefile_release(struct pagefile *p);

/* The page that is live, whole, and its Content-Security-Policy: nothing but
 * its own style and script, and requests to where it came from. */
void pagefile_add_live(struct buf *b, struct buf *policy);

#endif
