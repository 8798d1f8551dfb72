#include "decide/plan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/quote.h"

unsigned
plan_sees(const struct entry *e)
{
	return (e->conf->reads_owned ? VIEW_OWNED : 0) |
	    (e->conf->reads_now ? VIEW_NOW : 0);
}

uint64_t
plan_fingerprint(const struct view *v)
{
	if (v->entry->conf->reads_now)
		return 0;
	return view_fingerprint(v, 1u << PROGRAM_DESIRED | 1u << PROGRAM_PLAN);
}

static void
compute(struct primary *p, struct view *v, struct buf *text, struct err *err)
{
	struct buf about = BUF_INIT;

	cache_object_add_label(&about, p->object);
	if (program_plan(p->entry->program,
		view_input(v, plan_sees(p->entry), SPAN_NONE, NULL),
		buf_str(&about), text, err) != 0)
		p->plan.error = mem_strdup(err->message);
	buf_release(&about);
}

int
plan_update(struct primary *p, struct view *v, uint64_t input, struct err *err)
{
	struct buf text = BUF_INIT;

	if (!program_defines(p->entry->program, PROGRAM_PLAN))
		return 0;
	if (input == 0 || input != p->plan.input) {
		primary_release_plan(&p->plan);
		compute(p, v, &text, err);
		arguments_add(&p->plan.text, ARGUMENTS_PLAN,
		    p->plan.error == NULL ? buf_span(&text) : span_str("null"));
		p->plan.id = arguments_id();
		p->plan.input = input;
		p->plan.fresh = true;
		buf_release(&text);
	}
	return p->plan.error == NULL
	    ? 0
	    : err_set(err, ERR_PERMANENT, "%s", p->plan.error);
}

void
plan_alone(struct decision *d, struct primary *p, struct view *v)
{
	struct buf visible = BUF_INIT;
	struct err err = ERR_INIT;

	if (plan_update(p, v, plan_fingerprint(v), &err) == 0)
		return;
	quote_text(&visible, span_str(err.message));
	buf_addf(&d->complaints, "%s%s", d->complaints.len > 0 ? "\n" : "",
	    buf_str(&visible));
	if (d->error == NULL)
		d->error = buf_take(&visible);
	buf_release(&visible);
}
