#include "base/lru.h"

#include "tap.h"

struct number {
	struct lru_entry entry;
	int n;
};

static struct number *
touch(struct lru *l, const char *key)
{
	return lru_touch(l, span_str(key));
}

TEST(lru)
{
	struct lru l;

	lru_init(&l, sizeof(struct number), 2);
	ok(touch(&l, "a")->n == 0, "a new one is zeroed");
	touch(&l, "a")->n = 1;
	touch(&l, "b")->n = 2;
	ok(touch(&l, "a")->n == 1, "the first is remembered, the newest now");
	touch(&l, "c")->n = 3;
	ok(l.map.count == 2, "two at most");
	ok(touch(&l, "a")->n == 1, "... the one touched before is there");
	ok(touch(&l, "b")->n == 0, "... the one met longest ago is not");
	ok(touch(&l, "c")->n == 0, "... nor the next, then");
	lru_release(&l);
	lru_init(&l, sizeof(struct number), 1);
	touch(&l, "a")->n = 1;
	ok(touch(&l, "b")->n == 0 && touch(&l, "a")->n == 0, "room for one");
	lru_release(&l);
}
