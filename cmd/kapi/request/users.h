/*
 * users: who sends a request: bearer tokens of a file as kube-apiserver's
 * --token-auth-file reads it: lines of token,user,uid and then optionally
 * "group1,group2" in quotes.
 */
#ifndef USERS_H
#define USERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

struct users;

struct user_extra {
	struct span key;
	const struct span *values;
	size_t count;
};

struct user {
	struct span token; /* never printed */
	struct span name, uid;
	const struct span *groups; /* system:authenticated, too */
	size_t group_count;
	const struct user_extra *extra; /* by key */
	size_t extra_count;
};

/* NULL with err, which names the file and the line. */
struct users *users_load(const char *file, struct err *err);
void users_free(struct users *u);
/* The first of the file: the user of the kubeconfig. NULL: kubernetes-admin of
 * system:masters. */
const struct user *users_first(const struct users *u);

bool users_has_group(const struct user *u, struct span name);

/* The user with this token, borrowed; NULL: the file has none, or there is no
 * file. */
const struct user *users_find(const struct users *users, struct span token);

#endif
