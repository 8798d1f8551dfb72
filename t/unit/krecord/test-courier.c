/* courier: what waits for a server that is not there. */
#include "traces/courier.h"

#include "tap.h"

enum { PIECE = 1024 * 1024, PIECES = COURIER_MOST / PIECE };

static void
send(struct courier *c)
{
	struct buf body = BUF_INIT;

	buf_reserve(&body, PIECE);
	memset(body.data, 'x', PIECE);
	body.len = PIECE;
	courier_send(c, &body, 2);
}

int
main(void)
{
	struct loop *loop = loop_new();
	struct err err = ERR_INIT;
	struct courier c;

	ok(courier_init(&c, loop, "http://127.0.0.1:1//", &err) == 0, "init");
	is(c.url, "http://127.0.0.1:1/v1/traces", "a path behind the address");
	ok(courier_is_empty(&c) && !courier_is_busy(&c), "nothing waits");
	for (int i = 0; i < PIECES; i++)
		send(&c);
	ok(c.bytes == COURIER_MOST && c.dropped == 0, "so much can wait");
	ok(courier_is_busy(&c), "... which is much");
	send(&c);
	ok(c.bytes == COURIER_MOST && c.dropped == 2, "more: one is left out");
	while (!c.fails)
		loop_once(loop, 1000);
	ok(c.sent == 0 && c.dropped == 2, "no answer: it is sent again");
	ok(!courier_is_busy(&c), "... nobody needs to wait for that");
	courier_release(&c);
	ok(c.dropped == 2 * (PIECES + 1), "all are counted at the end");
	ok(courier_init(&c, loop, "127.0.0.1:1", &err) == -1, "not a URL");
	courier_release(&c);
	loop_free(loop);
	return tap_done();
}
