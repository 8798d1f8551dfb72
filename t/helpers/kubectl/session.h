/*
 * session: a call of kubectl: its options, the API server, and why that refused
 * the last request. One request at a time; each waits for its answer.
 *
 * What answers are made of lives in the arena. A function that returns -1 or
 * NULL has put the reason into refusal; not in it is the newline.
 */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "tree/tree.h"
#include "kubectl/flags.h"

struct session {
	struct arena arena;
	struct flags flags;
	struct span namespace_;
	struct buf refusal;
	bool not_found;		/* the server has refused with this reason */
	struct node *served[2]; /* of offers.h; NULL: not asked yet */

	struct loop *loop;
	struct kubeconfig *config;
	struct auth *auth;
	struct http *http;
};

/* It is open until the process ends. */
int session_open(struct session *s);

/* An option, by flags_get. */
const char *session_option(const struct session *s, const char *name);

/* Always -1. */
int session_refuse(struct session *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same for the body of an answer: a Status, or text. */
int session_refused(struct session *s, struct span body);

/* type is that of a body, behind "application/"; accept may be NULL. Returns the
 * status, or -1: no answer. */
int session_send(struct session *s, const char *method, const char *path,
    const char *type, struct span body, const char *accept,
    struct span *answer);
/* Its answer, if that is not an error. */
struct node *session_ask(struct session *s, const char *method,
    const char *path, const char *type, struct span body);
struct node *session_get(struct session *s, const char *path);

#endif
