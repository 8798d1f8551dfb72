/*
 * Part of apply.h: objects with a drawn name (set/generate.c) are created, once.
 * An error of the server's own (5xx), or no answer, leaves open whether there is
 * an object now. It is looked for by its name, and never created a second time:
 * it may have come and gone, as a Job that is deleted when it is complete.
 */
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "base/buf.h"
#include "base/mem.h"
#include "body.h"
#include "json/json.h"

/* The error as people see it. */
static void
add_error(struct buf *b, const struct call *c, const struct kube_answer *answer)
{
	kube_error_public_of(b, &answer->error,
	    set_error_kind(c->key->set, &c->item->id), c->item->text);
}

/* Notes what the answer was, and looks for the object. */
static void
look_for_it(struct call *c, const struct kube_answer *answer)
{
	struct item *i = c->item;
	struct buf b = BUF_INIT;

	add_error(&b, c, answer);
	free(i->conflict);
	i->conflict = mem_strdup(buf_str(&b));
	i->step = STEP_READ;
	/* The name is ours: a request before this one has come through. */
	if (answer->code == 409) {
		engine_item_next(i, STEP_READ);
	} else {
		buf_adds(&b, "; whether it was created is not known");
		engine_item_failed(c->key, i, RETRY_TRANSIENT,
		    answer->error.retry_after_ms, buf_span(&b));
	}
	buf_release(&b);
}

void
create_sent(struct call *c, const struct kube_answer *answer)
{
	const struct kube_error *e = &answer->error;
	bool exists =
	    answer->code == 409 && strcmp(e->reason, "AlreadyExists") == 0;

	if (e->kind == ERR_NONE)
		engine_item_done(c->key, c->item, "created");
	else if (!writer_opts.dry_run &&
	    (exists || answer->code == 0 || answer->code >= 500))
		look_for_it(c, answer);
	else
		answer_fail(c, answer);
}

void
create_looked(struct call *c, const struct kube_answer *answer)
{
	const char *generate = "metadata.generateName";
	struct item *i = c->item;
	struct buf b = BUF_INIT, ours = BUF_INIT, theirs = BUF_INIT;

	if (answer->error.kind == ERR_NONE) {
		if (span_eq(json_string(json_path(i->text, generate), &ours),
			json_string(
			    json_path(answer->body, generate), &theirs)))
			engine_item_done(c->key, i, "created");
		else
			engine_item_failed(c->key, i, RETRY_PERMANENT, -1,
			    span_str("another object has the name"));
	} else {
		buf_adds(&b, i->conflict);
		if (answer->code == 404)
			buf_adds(&b,
			    "; there is no such object now, and it is not "
			    "created again: it may have come and gone");
		else {
			buf_adds(&b, "; whether it was created is not known: ");
			add_error(&b, c, answer);
		}
		engine_item_failed(c->key, i,
		    answer->code == 404
			? RETRY_PERMANENT
			: retry_classify(KUBE_GET, &answer->error),
		    answer->error.retry_after_ms, buf_span(&b));
	}
	buf_release(&b);
	buf_release(&ours);
	buf_release(&theirs);
}
