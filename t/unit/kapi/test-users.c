/* users: the token file of kube-apiserver. */
#include "request/users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

static char path[64];

static struct users *
load(const char *text, struct err *err)
{
	int fd = memfd_create("tokens", 0);
	struct users *u;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	u = users_load(path, err);
	close(fd);
	return u;
}

static void
is_user(const struct user *u, const char *want, const char *what)
{
	struct buf b = BUF_INIT;

	if (u == NULL)
		buf_adds(&b, "nobody");
	else {
		buf_addf(&b, "%.*s/%.*s", SPAN_ARG(u->name), SPAN_ARG(u->uid));
		for (size_t i = 0; i < u->group_count; i++)
			buf_addf(&b, " %.*s", SPAN_ARG(u->groups[i]));
	}
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
is_refused(const char *text, const char *want)
{
	struct err err = ERR_INIT;
	struct users *u = load(text, &err);
	struct buf b = BUF_INIT;

	buf_addf(&b, "%s%s", path, want);
	ok(u == NULL && err.kind == ERR_PERMANENT, "refused");
	is(err.message, buf_str(&b), "... says why");
	buf_release(&b);
	users_free(u);
}

TEST(find)
{
	struct err err = ERR_INIT;
	struct users *u = load("t1, Ann ,7,\"dev,ops\"\n"
			       "\n"
			       "\"t,\"\"2\",\"B, C\",8\r\n"
			       "t3,d,9,one,ignored\n",
	    &err);

	ok(u != NULL, "a file");
	is_user(users_find(u, span_str("t1")),
	    "Ann/7 dev ops system:authenticated", "with groups");
	is_user(users_find(u, span_str("t,\"2")), "B, C/8 system:authenticated",
	    "quoted");
	is_user(users_find(u, span_str("t3")), "d/9 one system:authenticated",
	    "with one group");
	is_user(users_find(u, span_str("t")), "nobody", "half a token");
	is_user(users_find(u, span_str("")), "nobody", "none");
	is_user(users_find(NULL, span_str("t1")), "nobody", "no file");
	is_user(
	    users_first(u), "Ann/7 dev ops system:authenticated", "the first");
	users_free(u);
	is_user(users_first(NULL),
	    "kubernetes-admin/ system:masters system:authenticated",
	    "no file: every user");
	ok(users_first(NULL)->token.n == 0, "... without a token");
}

TEST(users)
{
	struct err err = ERR_INIT;

	is_refused("t1,a,1\nt2,b\n",
	    ":2: want token,user,uid[,\"group1,group2\"], got 2 columns");
	is_refused("t1,a,1\n\nt1,b,2\n", ":3: the token is in the file twice");
	is_refused(",a,1\n", ":1: the token is empty");
	is_refused("t1,\"a,1\n", ":1: bad CSV");
	is_refused("t1,\"a\"b,1\n", ":1: bad CSV");
	is_refused("t1,a\"b,1\n", ":1: bad CSV");
	is_refused("\n\n", ": no token in it");
	ok(users_load("/nowhere/tokens", &err) == NULL, "no such file");
	is(err.message,
	    "cannot read /nowhere/tokens: No such file or directory",
	    "... is named");
}
