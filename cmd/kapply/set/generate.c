/*
 * Part of set/set.h: names of objects that have metadata.generateName and no
 * name. The API server would draw one, too, but then an answer that is lost
 * leaves nobody who knows whether there is an object, and which. So kapply draws
 * it: a request that is sent twice creates one object.
 *
 * The letters are those of the API server, which has five of them: no vowels,
 * and none that look like a digit (apimachinery, pkg/util/rand). With ten no
 * other object has the name by chance. Names have at most 63 bytes, as there.
 */
#include "set/set.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/utf8.h"
#include "json/json.h"

enum { DRAWN = 10, NAME_MAX_BYTES = 63 };

static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";

/* Appends as many letters, each as likely as any other; -1: no randomness. */
static int
draw(struct buf *b, size_t count)
{
	const size_t n = sizeof(letters) - 1;
	unsigned char bytes[4 * DRAWN];

	while (count > 0) {
		if (getrandom(bytes, sizeof(bytes), 0) !=
		    (ssize_t)sizeof(bytes))
			return -1;
		for (size_t i = 0; i < sizeof(bytes) && count > 0; i++) {
			if (bytes[i] >= 256 / n * n)
				continue;
			buf_addc(b, letters[bytes[i] % n]);
			count--;
		}
	}
	return 0;
}

int
set_draw_name(
    struct set *s, struct span metadata, struct span *name, struct err *err)
{
	struct span prefix =
	    json_name(json_get(metadata, "generateName"), &s->names);
	struct buf drawn = BUF_INIT;
	int rc = 0;

	*name = SPAN_NONE;
	if (prefix.n == 0)
		return 0;
	buf_addspan(&drawn, prefix);
	buf_truncate(&drawn, utf8_cut(prefix, NAME_MAX_BYTES - DRAWN));
	if (draw(&drawn, DRAWN) != 0)
		rc = err_set(err, ERR_TRANSIENT, "cannot draw a name: %s",
		    strerror(errno));
	else
		*name = arena_span(&s->names, buf_span(&drawn));
	buf_release(&drawn);
	return rc;
}
