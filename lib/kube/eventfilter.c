#include "kube/eventfilter.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/lru.h"
#include "base/mem.h"

enum {
	REMEMBERED = 4096,
	BURST = 25,
	SIMILAR_MAX = 10,
	APART_US = 1000 /* a clock that goes back further stays there */
};
static const int64_t refill_us = 300 * 1000000ll, window_us = 600 * 1000000ll;

/* A token bucket. It is worth (now - empty_us) / refill_us tokens, at most
 * BURST. */
struct spam {
	struct lru_entry entry; /* the first member */
	int64_t empty_us;	/* 0: new, so full */
};

struct similar {
	struct lru_entry entry;		/* the first member */
	uint64_t messages[SIMILAR_MAX]; /* hashes of the distinct ones */
	unsigned count;
	int64_t last_us;
};

struct told {
	struct lru_entry entry; /* the first member */
	unsigned count;
	int64_t first_us;
};

struct eventfilter {
	struct lru spam, similar, told;
	int64_t last_us; /* the newest first_us */
};

struct eventfilter *
eventfilter_new(void)
{
	struct eventfilter *f = mem_zalloc(sizeof(*f));

	lru_init(&f->spam, sizeof(struct spam), REMEMBERED);
	lru_init(&f->similar, sizeof(struct similar), REMEMBERED);
	lru_init(&f->told, sizeof(struct told), REMEMBERED);
	return f;
}

void
eventfilter_free(struct eventfilter *f)
{
	if (f == NULL)
		return;
	lru_release(&f->spam);
	lru_release(&f->similar);
	lru_release(&f->told);
	free(f);
}

static void
add_part(struct buf *b, struct span part)
{
	buf_addspan(b, part);
	buf_addc(b, '\n');
}

static bool
is_spam(struct eventfilter *f, struct span key, int64_t now)
{
	struct spam *s = lru_touch(&f->spam, key);
	int64_t full = now - BURST * refill_us;

	if (s->empty_us == 0 || s->empty_us < full)
		s->empty_us = full;
	if (now - s->empty_us < refill_us)
		return true;
	s->empty_us += refill_us;
	return false;
}

/* True: too many similar messages. */
static bool
is_similar(
    struct eventfilter *f, struct span key, struct span message, int64_t now)
{
	struct similar *s = lru_touch(&f->similar, key);
	uint64_t hash = hash_text(message);
	bool fresh = now - s->last_us > window_us;

	if (fresh)
		s->count = 0;
	if (fresh || now > s->last_us)
		s->last_us = now;
	for (unsigned i = 0; i < s->count; i++)
		if (s->messages[i] == hash)
			return false;
	if (s->count + 1 >= SIMILAR_MAX)
		return true;
	s->messages[s->count++] = hash;
	return false;
}

struct eventfilter_verdict
eventfilter_ask(
    struct eventfilter *f, const struct eventfilter_event *e, int64_t now_us)
{
	struct eventfilter_verdict v = {.drop = false};
	struct buf key = BUF_INIT;
	struct told *t;

	add_part(&key, e->source);
	add_part(&key, e->object);
	add_part(&key, e->type);
	v.drop = is_spam(f, buf_span(&key), now_us);
	if (!v.drop) {
		add_part(&key, e->reason);
		v.combined = is_similar(f, buf_span(&key), e->message, now_us);
		if (!v.combined)
			add_part(&key, e->message);
		t = lru_touch(&f->told, buf_span(&key));
		if (t->count++ == 0) {
			if (now_us <= f->last_us &&
			    f->last_us - now_us < APART_US)
				now_us = f->last_us + 1;
			t->first_us = f->last_us = now_us;
		}
		v.count = t->count;
		v.first_us = t->first_us;
	}
	buf_release(&key);
	return v;
}
