#include "set/members.h"

#include "base/array.h"
#include "json/json.h"

static const char *const names[MEMBERS] = {
    [MEMBER_ITEMS] = "items",
    [MEMBER_KNOWN] = "known",
    [MEMBER_ONCE] = "once",
    [MEMBER_EXACTLY] = "exactly",
    [MEMBER_AS_SEEN] = "asSeen",
    [MEMBER_VACATED] = "vacated",
    [MEMBER_PATCH] = "patch",
    [MEMBER_RELEASE] = "release",
    [MEMBER_DELETE] = "delete",
    [MEMBER_REFUSED] = "refused",
    [MEMBER_EVENTS] = "events",
    [MEMBER_ADOPT] = "adopt",
    [MEMBER_ORIGIN] = "origin",
    [MEMBER_INSTANCE] = "instance",
    [MEMBER_TAKES_OVER] = "takesOver",
    [MEMBER_LOOPS] = "loops",
    [MEMBER_BECAUSE] = "because",
    [MEMBER_CONFIDENTIAL] = "confidential",
    [MEMBER_STATUS] = "status",
    [MEMBER_ON_ERROR] = "onError",
    [MEMBER_FINALIZERS] = "finalizers",
    [MEMBER_PRIMARY] = "primary",
    [MEMBER_MANAGER] = "manager",
    [MEMBER_DELETING] = "deleting",
    [MEMBER_GUARD_STATUS] = "guardStatus",
    [MEMBER_MAX_CONCURRENT] = "maxConcurrentReconciles",
};

/* Of the first ones, which are checked. */
static const enum json_type types[] = {
    [MEMBER_ITEMS] = JSON_ARRAY,
    [MEMBER_KNOWN] = JSON_OBJECT,
    [MEMBER_ONCE] = JSON_ARRAY,
    [MEMBER_EXACTLY] = JSON_ARRAY,
    [MEMBER_AS_SEEN] = JSON_ARRAY,
    [MEMBER_VACATED] = JSON_ARRAY,
    [MEMBER_PATCH] = JSON_OBJECT,
    [MEMBER_RELEASE] = JSON_ARRAY,
    [MEMBER_DELETE] = JSON_ARRAY,
    [MEMBER_REFUSED] = JSON_ARRAY,
    [MEMBER_EVENTS] = JSON_ARRAY,
    [MEMBER_ADOPT] = JSON_STRING,
    [MEMBER_ORIGIN] = JSON_STRING,
    [MEMBER_INSTANCE] = JSON_STRING,
    [MEMBER_TAKES_OVER] = JSON_ARRAY,
    [MEMBER_LOOPS] = JSON_OBJECT,
    [MEMBER_BECAUSE] = JSON_OBJECT,
    [MEMBER_CONFIDENTIAL] = JSON_ARRAY,
    [MEMBER_STATUS] = JSON_OBJECT,
    [MEMBER_ON_ERROR] = JSON_OBJECT,
    [MEMBER_FINALIZERS] = JSON_OBJECT,
};

void
members_find(struct members *m, struct span line)
{
	static const char *const outer[] = {"items", "reconcile"};
	struct span found[COUNT(outer)];

	json_pick(line, outer, COUNT(outer), found);
	json_pick(found[1], names, MEMBERS, m->of);
	m->of[MEMBER_ITEMS] = found[0];
}

static int
check(struct span value, enum json_type want, const char *within,
    const char *name, struct err *err)
{
	enum json_type type = json_type(value);

	if (value.p == NULL || type == JSON_NULL || type == want)
		return 0;
	return err_set(err, ERR_PERMANENT, "%s%s is not %s", within, name,
	    want == JSON_ARRAY	      ? "a list"
		: want == JSON_OBJECT ? "an object"
				      : "text");
}

int
members_check(const struct members *m, struct err *err)
{
	static const char *const inner[] = {"add", "remove", "origin"};
	struct span found[COUNT(inner)];

	for (size_t n = 0; n < COUNT(types); n++)
		if (check(m->of[n], types[n],
			n == MEMBER_ITEMS ? "" : "reconcile.", names[n],
			err) != 0)
			return -1;
	json_pick(m->of[MEMBER_FINALIZERS], inner, COUNT(inner), found);
	for (size_t n = 0; n < COUNT(inner); n++)
		if (check(found[n], n < 2 ? JSON_ARRAY : JSON_STRING,
			"reconcile.finalizers.", inner[n], err) != 0)
			return -1;
	return 0;
}
