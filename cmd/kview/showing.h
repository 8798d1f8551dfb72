/*
 * showing: the page, live, for browsers.
 *
 *	GET /        the page, without data
 *	GET /events  all that is known, then each line as it comes (pageline.h),
 *	             as text/event-stream. With Last-Event-ID only what followed
 *	             that, if it is still here; else the event `reset` comes
 *	             first, and all that is known
 *
 * Lines about the whole: {"now":US}, when events begin; {"state":{...}}, of the
 * pipeline; {"ended":true}, nothing more will come.
 *
 * Without a gate, only a client that means this machine (httpd/local.h) gets
 * an answer; with one, only a user with the right to get the path, and events
 * end after SHOWING_REVIEW_MS, so that the right is asked for again. A client
 * that does not read is cut. Memory: the history (history.h), the objects that
 * there are, and what waits for slow clients.
 */
#ifndef SHOWING_H
#define SHOWING_H

#include "access/gate.h"
#include "base/err.h"
#include "history.h"
#include "httpd/httpd.h"
#include "process/loop.h"
#include "story.h"

enum { SHOWING_REVIEW_MS = 300000 };
#define SHOWING_RIGHT "/view"

struct showing_client {
	struct showing_client *next;
	struct showing *showing;
	struct exchange *x;
	uint64_t since_ms;
};

struct showing {
	struct loop *loop;     /* borrowed */
	struct story *story;   /* borrowed */
	struct review *review; /* borrowed; NULL: only this machine */
	struct history history;
	struct httpd *httpd;
	struct buf page, policy; /* what is served at /, with what header */
	struct showing_client *clients;
	struct timer alive;
	struct buf line;       /* in the making */
	struct buf state;      /* the last that was told */
	struct track *touched; /* by the row before; borrowed, or NULL */
	size_t swept;	       /* tracks that were left after the last sweep */
	bool ended;
};

/* Listens. gate is borrowed; NULL: none. -1 with err. */
int showing_open(struct showing *s, struct loop *l, struct story *story,
    const char *address, struct gate *gate, struct err *err);
void showing_close(struct showing *s);

/* A row of the story. */
void showing_row(struct showing *s, const struct viewrow *row);
/* After each line of the recording: what else it has changed. */
void showing_line(struct showing *s);
/* Nothing more will come. */
void showing_end(struct showing *s);

#endif
