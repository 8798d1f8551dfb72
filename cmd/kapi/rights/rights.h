/*
 * rights: roles and their bindings, and what they allow. They follow the store:
 * a rule counts from the write on.
 * Source: plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation.
 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "tree/tree.h"
#include "process/opt.h"
#include "request/users.h"
#include "type/api.h"

struct rights;

/* --authorization-mode: a row for the tool's table. */
extern const struct opt rights_opt_table[];
/* Whether the option asks for rights. -1 with err: it asks for something
 * else. */
int rights_wanted(bool *wanted, struct err *err);

/* Borrows api, whose store has its collections. */
struct rights *rights_new(const struct api *api);
void rights_free(struct rights *x);

/* An action that a user wants to do. */
struct action {
	const struct user *user;
	struct span verb;
	bool on_resource; /* else on a path */
	struct span group, plural, subresource, name;
	struct span namespace_; /* "" or none: in all of them */
	struct span path;
};

/*
 * Whether it is allowed. Without rights (x is NULL) all is, as for members of
 * system:masters. *reason (may be NULL), in the arena: by what, or which role
 * is missing; "" else.
 */
bool rights_allow(const struct rights *x, struct arena *a,
    const struct action *what, struct span *reason);

/* Calls fn for each rule that the user has in the namespace ("": in all), until
 * it is false. errors (may be NULL) gets a line for each role that is not
 * there. */
struct rights_source; /* where a rule comes from */
typedef bool rights_fn(
    void *arg, const struct node *rule, const struct rights_source *from);
void rights_visit(const struct rights *x, const struct user *u,
    struct span namespace_, rights_fn *fn, void *arg, struct buf *errors);

/* Such lines as the server says them: in brackets if there are several. */
struct span rights_errors(struct arena *a, struct span errors);

/* The role that a roleRef names, or NULL. */
const struct node *rights_role(const struct rights *x,
    const struct node *role_ref, struct span namespace_);

/* Two rules: every right on resources, and on other paths. */
const struct node *rights_all(struct arena *a);
bool rights_is_superuser(const struct user *u);

#endif
