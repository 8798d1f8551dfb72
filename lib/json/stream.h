/*
 * stream: JSON documents out of a byte stream, for the tools that read stdin.
 *
 *	stream_read(s, fd, &err) or stream_feed(s, bytes)
 *	while ((r = stream_next(s, &doc)) == STREAM_DOC || r == STREAM_BAD) ...
 *	at end of file: stream_end(s), then stream_next until STREAM_END
 *
 * Framing: if the first line is one whole document, every line is one: a bad
 * line is reported with its number and the next one goes on. Otherwise the
 * input is concatenated JSON (as pretty printers write it), and an error ends
 * it. Empty lines are skipped, and so is "---" between documents.
 *
 * Every document given out was checked by json_check. One document is at most
 * STREAM_MAX bytes. A List (kind ends in "List", "items" is an array) comes
 * item by item, and may be longer than that: then its items are given out as
 * they arrive. Items without apiVersion or kind take them from a typed List
 * (PodList v1: Pod v1). A List with the member "reconcile" is one document.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

/*
 * The longest line, of every tool: what kwatch may print, what each stage and
 * each reader of recordings takes. It is above anything that an API server
 * stores: etcd takes requests of 1.5 MiB, and the longest text of a byte in
 * JSON has six ("\u003c", which the API server writes for <), so 9 MiB; and
 * what a tool or a recording adds to it is less than STREAM_ROOM.
 */
enum {
	STREAM_MAX = 16 * 1024 * 1024,
	STREAM_ROOM = 64 * 1024,
	/* The limit of text whose length others decide. */
	STREAM_WRITE_MAX = STREAM_MAX - STREAM_ROOM
};
#define STREAM_MAX_TEXT "16 MiB" /* for messages */

struct stream;

struct stream_doc {
	size_t line;	  /* where it begins, 1 = first */
	struct span text; /* borrowed until the next call of stream_* */
	bool item;	  /* the document was in a List */
	struct err err;	  /* for STREAM_BAD: "line 3: what is wrong" */
};

enum stream_result {
	STREAM_MORE, /* nothing whole yet: feed it, or end it */
	STREAM_DOC,
	STREAM_BAD, /* doc->err; call again: the rest may go on */
	STREAM_END  /* nothing will come any more */
};

struct stream *stream_new(void);
void stream_free(struct stream *s);

void stream_feed(struct stream *s, struct span bytes);
/*
 * Reads once from fd. Returns the number of bytes, 0 at end of file (after
 * stream_end), -1 with err, or -1 with err->kind ERR_TRANSIENT if fd is
 * non-blocking and has nothing now.
 */
long stream_read(struct stream *s, int fd, struct err *err);
/*
 * Bytes that stream_read reads from a pipe go to this one as well, for a
 * process that records them (process/tee.h). fd -1: to none. stream: its name
 * there, borrowed.
 */
void stream_tap(struct stream *s, int fd, const char *stream);
/* The input is over: what is left is the last document, or cut short. */
void stream_end(struct stream *s);

/* Whether the object is a List, and so would come item by item. */
bool stream_is_list(struct span object);

enum stream_result stream_next(struct stream *s, struct stream_doc *doc);

#endif
