/*
 * client: requests to kapi, one at a time; each waits for its answer, by the
 * machine's clock. Who asks is told by the User-Agent.
 */
#ifndef CLIENT_H
#define CLIENT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct client;

/* url: "http://127.0.0.1:1234", copied. user_agent: "client", "cluster"; kapi's
 * journal shows it. */
struct client *client_new(const char *url, const char *user_agent);
void client_free(struct client *c);

enum client_type {
	CLIENT_JSON,
	CLIENT_MERGE_PATCH,
	CLIENT_JSON_PATCH,
	CLIENT_APPLY
};

/*
 * The status of the answer, and its body, borrowed until the next request; 0
 * with err: none came.
 */
int client_ask(struct client *c, const char *method, const char *path,
    enum client_type type, struct span body, struct span *answer,
    struct err *err);

/* The same as another client, of that name, with a type of its own. */
int client_ask_as(struct client *c, const char *user_agent, const char *method,
    const char *path, const char *type, struct span body, struct err *err);

#endif
