#include "alone.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/leash.h"

static bool
is_set(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0';
}

bool
alone_is_outside(void)
{
	return !is_set("POD_NAME") && !is_set("KUBERNETES_SERVICE_HOST");
}

static void
alone_due(struct election *e, struct instant now)
{
	(void)now;
	e->state = ELECTION_LEADING;
	e->until_ns = LEASH_FOREVER;
	e->in_contact = true;
	election_wait(e, ELECTION_NEVER);
}

/* It requests nothing. */
static void
alone_answered(
    struct election *e, const struct kube_answer *a, struct instant now)
{
	(void)e;
	(void)a;
	(void)now;
}

static void
alone_release(struct election *e, struct instant now)
{
	(void)now;
	e->state = ELECTION_RELEASED;
	election_wait(e, ELECTION_NEVER);
}

static void
alone_free(struct election *e)
{
	free(e);
}

static const struct election_way way = {
    alone_due, alone_answered, alone_release, alone_free};

struct election *
alone_new(void)
{
	struct election *e = mem_zalloc(sizeof(*e));

	election_init(e, &way);
	return e;
}
