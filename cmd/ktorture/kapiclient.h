/*
 * kapiclient: requests to kapi, one at a time; each waits for its answer, by the
 * machine's clock. Who asks is told by the User-Agent.
 */
#ifndef KAPICLIENT_H
#define KAPICLIENT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct kapiclient;

/* url: "http://127.0.0.1:1234", copied. user_agent: "client", "cluster"; kapi's
 * journal shows it. */
struct kapiclient *kapiclient_new(const char *url, const char *user_agent);
void kapiclient_free(struct kapiclient *c);
/*
 * kapi may answer only after some time, of which it has a virtual one: while an
 * answer does not come, still is called, which returns when nothing is under way
 * any more, and then, if it still has not come, step.
 */
typedef void kapiclient_fn(void *arg);
void kapiclient_on_wait(
    struct kapiclient *c, kapiclient_fn *still, kapiclient_fn *step, void *arg);

enum kapiclient_type {
	KAPICLIENT_JSON,
	KAPICLIENT_MERGE_PATCH,
	KAPICLIENT_JSON_PATCH,
	KAPICLIENT_APPLY
};

/*
 * The status of the answer, and its body, borrowed until the next request; 0
 * with err: none came.
 */
int kapiclient_ask(struct kapiclient *c, const char *method, const char *path,
    enum kapiclient_type type, struct span body, struct span *answer,
    struct err *err);

/* The same as another client, of that name, with a type of its own. */
int kapiclient_ask_as(struct kapiclient *c, const char *user_agent,
    const char *method, const char *path, const char *type, struct span body,
    struct err *err);

#endif
