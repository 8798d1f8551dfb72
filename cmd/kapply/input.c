#include "input.h"

void
input_release(struct input *in)
{
	set_free(in->held);
}

static bool
submit_held(struct input *in)
{
	struct set *s = in->held;

	if (s == NULL)
		return true;
	if (s->plain && in->apply->barriers > 0 &&
	    s->items[0].phase != PHASE_SCOPES)
		return false;
	in->held = NULL;
	engine_submit(in->apply, s);
	return true;
}

bool
input_has_room(struct input *in)
{
	const struct apply *a = in->apply;

	return !workqueue_full(&a->queue) && !out_full(&a->out) &&
	    a->lined_up < 2 * (size_t)a->o->max_in_flight && submit_held(in);
}

int
input_take(struct input *in, const struct stream_doc *doc, struct err *err)
{
	struct set *s = set_parse(doc->text, doc->line, err);

	if (s == NULL)
		return -1;
	if (in->take != NULL && s->plain)
		in->take(in->take_arg, s);
	else
		in->held = s;
	return 0;
}
