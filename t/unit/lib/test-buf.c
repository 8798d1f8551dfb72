#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "tap.h"

TEST(buf)
{
	struct buf b = BUF_INIT;
	char *owned;

	is(buf_str(&b), "", "an empty buffer is an empty text");
	buf_adds(&b, "ab");
	buf_addc(&b, 'c');
	buf_addspan(&b, span_str("de"));
	buf_addf(&b, "-%d-%s", 42, "x");
	is(buf_str(&b), "abcde-42-x", "appends add up");
	buf_consume(&b, 3);
	is(buf_str(&b), "de-42-x", "consume drops from the front");
	buf_truncate(&b, 2);
	is(buf_str(&b), "de", "truncate keeps the front");
	buf_truncate(&b, 99);
	is(buf_str(&b), "de", "truncate never lengthens");
	buf_consume(&b, 99);
	ok(b.len == 0, "consuming more than there is empties");
	for (int i = 0; i < 10000; i++)
		buf_addf(&b, "%d,", i);
	ok(b.len == 48890, "grows");
	owned = buf_take(&b);
	ok(strncmp(owned, "0,1,2,", 6) == 0 && b.data == NULL,
	    "take hands over the text");
	free(owned);
	buf_wipe(&b);
	ok(b.data == NULL && b.len == 0, "an empty one is wiped, too");
	buf_adds(&b, "secret");
	buf_wipe(&b);
	ok(b.data == NULL && b.cap == 0, "a wiped one is empty");
}

TEST(grow)
{
	int *list = NULL;
	size_t n = 0, sum = 0;

	while (n < 1000) {
		list = mem_grow(list, n, sizeof(*list));
		list[n] = (int)n;
		n++;
	}
	while (n > 300)
		n--;
	for (; n < 520; n++) {
		list = mem_grow(list, n, sizeof(*list));
		list[n] = 1;
	}
	for (size_t i = 0; i < n; i++)
		sum += (size_t)list[i];
	ok(sum == 299 * 150 + 220, "a list that grows, shrinks and grows");
	free(list);
}

TEST(err)
{
	struct err e = ERR_INIT;
	char big[3000];

	ok(err_set(&e, ERR_CONFLICT, "no %s", "way") == -1, "set returns -1");
	is(e.message, "no way", "message");
	ok(e.kind == ERR_CONFLICT && err_exit_code(&e) == 111, "kind");
	err_prefix(&e, "file %d", 7);
	is(e.message, "file 7: no way", "prefix");
	ok(e.kind == ERR_CONFLICT, "prefix keeps the kind");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, ERR_PERMANENT, "%s", big);
	ok(strlen(e.message) == ERR_MESSAGE_MAX - 1 &&
		strcmp(e.message + ERR_MESSAGE_MAX - 4, "...") == 0,
	    "a long message is cut and says so");
	err_prefix(&e, "p");
	ok(strncmp(e.message, "p: xxx", 6) == 0 &&
		strcmp(e.message + ERR_MESSAGE_MAX - 4, "...") == 0,
	    "also with a prefix");
	ok(err_exit_code(&e) == 100, "permanent is 100");
	e.kind = ERR_BUG;
	ok(err_exit_code(&e) == 101, "bug is 101");
	ok(err_set(NULL, ERR_BUG, "x") == -1, "an error may be ignored");
}
