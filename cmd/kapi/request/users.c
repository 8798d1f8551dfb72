#include "request/users.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "process/file.h"

enum { FILE_MIB = 16, COLUMNS_MAX = 64, GROUPS_MAX = 64 };

struct users {
	struct arena arena; /* the users and their texts */
	struct map by_token;
	const struct user *first;
};

/* Every user has the group user.AllAuthenticated of k8s.io/apiserver. */
static const struct span admin_groups[] = {
    {"system:masters", 14}, {"system:authenticated", 20}};
static const struct user admin = {.token = {"", 0},
    .name = {"kubernetes-admin", 16},
    .uid = {"", 0},
    .groups = admin_groups,
    .group_count = 2};

/*
 * Reads a field of a CSV line (RFC 4180, as encoding/csv reads it): *rest moves
 * behind it and its comma. -1: a quote that does not end.
 */
static int
csv_field(struct arena *a, struct span *rest, struct span *field)
{
	char *to;
	size_t n = 0;

	if (rest->n == 0 || rest->p[0] != '"') {
		*field = arena_span(a, span_cut(rest, ','));
		return span_find(*field, '"') == NULL ? 0 : -1;
	}
	to = arena_alloc(a, rest->n);
	for (size_t i = 1; i < rest->n; i++) {
		if (rest->p[i] != '"') {
			to[n++] = rest->p[i];
		} else if (i + 1 < rest->n && rest->p[i + 1] == '"') {
			to[n++] = '"';
			i++;
		} else if (i + 1 == rest->n || rest->p[i + 1] == ',') {
			*field = span_make(to, n);
			*rest = i + 1 == rest->n
			    ? SPAN_NONE
			    : span_make(rest->p + i + 2, rest->n - i - 2);
			return 0;
		} else
			return -1;
	}
	return -1;
}

static int
take_line(struct users *u, struct span line, struct err *err)
{
	struct span fields[COLUMNS_MAX];
	struct user *user;
	size_t n = 0;
	struct span text, *groups;
	size_t count = 0;

	do {
		if (n == COLUMNS_MAX ||
		    csv_field(&u->arena, &line, &fields[n]) != 0)
			return err_set(err, ERR_PERMANENT, "bad CSV");
		n++;
	} while (line.p != NULL);
	if (n < 3)
		return err_set(err, ERR_PERMANENT,
		    "want token,user,uid[,\"group1,group2\"], got %zu columns",
		    n);
	if (fields[0].n == 0)
		return err_set(err, ERR_PERMANENT, "the token is empty");
	user = arena_zalloc(&u->arena, sizeof(*user));
	user->token = fields[0];
	user->name = span_trim(fields[1], " \t");
	user->uid = span_trim(fields[2], " \t");
	text = n > 3 ? fields[3] : SPAN_NONE;
	groups = arena_alloc(&u->arena, GROUPS_MAX * sizeof(*groups));
	while (text.n > 0 && count < GROUPS_MAX - 1) {
		struct span name = span_cut(&text, ',');

		if (name.n > 0)
			groups[count++] = name;
	}
	groups[count++] = span_str("system:authenticated");
	user->groups = groups;
	user->group_count = count;
	if (map_get(&u->by_token, user->token) != NULL)
		return err_set(
		    err, ERR_PERMANENT, "the token is in the file twice");
	map_put(&u->by_token, user->token, user);
	if (u->first == NULL)
		u->first = user;
	return 0;
}

struct users *
users_load(const char *file, struct err *err)
{
	struct users *u = mem_zalloc(sizeof(*u));
	struct buf b = BUF_INIT;
	struct span rest;
	size_t number = 0;
	int rc = file_read(file, FILE_MIB, &b, err);

	for (rest = buf_span(&b); rc == 0 && rest.n > 0;) {
		struct span line = span_cut(&rest, '\n');

		number++;
		if (line.n > 0 && line.p[line.n - 1] == '\r')
			line.n--;
		if (line.n == 0)
			continue;
		rc = take_line(u, line, err);
		if (rc != 0)
			err_prefix(err, "%s:%zu", file, number);
	}
	buf_wipe(&b);
	if (rc == 0 && u->first == NULL)
		rc = err_set(err, ERR_PERMANENT, "%s: no token in it", file);
	if (rc == 0)
		return u;
	users_free(u);
	return NULL;
}

void
users_free(struct users *u)
{
	if (u == NULL)
		return;
	map_release(&u->by_token);
	arena_release(&u->arena);
	free(u);
}

const struct user *
users_first(const struct users *u)
{
	return u == NULL ? &admin : u->first;
}

const struct user *
users_find(const struct users *users, struct span token)
{
	return users == NULL ? NULL : map_get(&users->by_token, token);
}

bool
users_has_group(const struct user *u, struct span name)
{
	for (size_t i = 0; i < u->group_count; i++)
		if (span_eq(u->groups[i], name))
			return true;
	return false;
}
