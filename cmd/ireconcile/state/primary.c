#include "state/primary.h"

#include <stdlib.h>
#include <string.h>

#include "agree/hidden.h"
#include "base/mem.h"
#include "process/log.h"

struct damping *
primary_damping(struct desired_item *i)
{
	if (i->memory.damping == NULL)
		i->memory.damping = mem_zalloc(sizeof(*i->memory.damping));
	return i->memory.damping;
}

void
primary_forget_permadiff(struct desired_item *i)
{
	struct damping *g = i->memory.damping;

	if (g == NULL)
		return;
	free(g->permadiff.parts);
	free(g->permadiff.message);
	free(g->permadiff.differs);
	free(g->permadiff.told);
	g->permadiff = (struct permadiff){0};
	if (g->repairs == NULL && g->of_uid == NULL && g->hold.until_us == 0) {
		free(g->loop_path);
		free(g);
		i->memory.damping = NULL;
	}
}

static void
memory_release(struct desired_item *i)
{
	primary_forget_permadiff(i);
	if (i->memory.damping != NULL) {
		free(i->memory.damping->repairs);
		free(i->memory.damping->loop_path);
		free(i->memory.damping->of_uid);
		free(i->memory.damping);
	}
	free(i->memory.path);
}

static void
item_release(struct desired_item *i)
{
	memory_release(i);
	hidden_free(i->hidden);
	free(i->label);
	free(i->key);
	if (i->kind != NULL)
		shelf_drop(&i->kind->shelf, &i->text);
	free(i->immutable);
	free(i->after);
	free(i->given);
	jv_free(i->value);
}

void
primary_release_desired(struct desired *d)
{
	map_release(&d->index);
	for (size_t i = 0; i < d->count; i++)
		item_release(&d->items[i]);
	free(d->items);
	free(d->order);
	free(d->error);
	*d = (struct desired){0};
}

void
primary_release_plan(struct plan *plan)
{
	buf_release(&plan->text);
	free(plan->error);
	*plan = (struct plan){0};
}

void
primary_recompute(struct primary *p)
{
	p->plan.input = 0;
	p->desired.input = 0;
	p->status_input = 0;
}

struct primary *
primary_new(struct entry *e, struct cache_object *o)
{
	struct primary *p = mem_zalloc(sizeof(*p) + o->key_len + 1);

	p->entry = e;
	p->object = o;
	p->key_len = o->key_len;
	memcpy(p->data, o->data, o->key_len);
	p->namespace_ = p->data;
	p->name = p->data + o->ns_len + 1;
	p->work.timer.key = primary_key(p);
	p->work.timer.owner = p;
	return p;
}

void
primary_forget(struct primary *p)
{
	said_set(p, NULL, 0);
	said_settle_all(&p->said);
	p->work.again_us = p->work.evaluated_us = 0;
	primary_recompute(p);
	p->work.reminder = true;
	for (size_t i = 0; i < p->desired.count; i++)
		if (p->desired.items[i].memory.damping != NULL)
			p->desired.items[i].memory.damping->hold.until_us = 0;
	free(p->said.last_error);
	p->said.last_error = NULL;
	free(p->said.told_error);
	p->said.told_error = NULL;
}

void
primary_renew(struct primary *p)
{
	p->said.renewed = true;
	said_settle_all(&p->said);
	said_forget_events(&p->said);
}

struct log_about
primary_about(const struct primary *p)
{
	return (struct log_about){.controller = p->entry->conf->name,
	    .namespace_ = *p->namespace_ ? p->namespace_ : NULL,
	    .name = p->name};
}

void
primary_set_holder(struct primary *p, const char *name)
{
	p->entry->held += name != NULL;
	p->entry->held -= p->holder != NULL;
	free(p->holder);
	p->holder = name != NULL ? mem_strdup(name) : NULL;
}

void
primary_free(struct primary *p)
{
	primary_set_holder(p, NULL);
	primary_release_plan(&p->plan);
	primary_release_desired(&p->desired);
	said_release(p);
	free(p->work.trigger);
	free(p->names);
	free(p);
}

void
primary_say_outside(const struct use *u, const struct cache_object *o)
{
	struct buf ns = BUF_INIT, name = BUF_INIT, list = BUF_INIT;
	struct log_about who = {.controller = u->entry->conf->name};

	/* The objects of a namespace come before it is selected. */
	if (u->entry->outside_said || u->conf->namespace_selector != NULL ||
	    entry_use_looks_at(u, cache_object_namespace(o)))
		return;
	u->entry->outside_said = true;
	buf_addspan(&ns, cache_object_namespace(o));
	buf_addspan(&name, cache_object_name(o));
	entry_add_places(&list, u->conf);
	who.namespace_ = buf_str(&ns);
	who.name = buf_str(&name);
	log_write(LOG_INFO, &who,
	    "not served, as any other one outside of the namespaces [%s]",
	    buf_str(&list));
	buf_release(&ns);
	buf_release(&name);
	buf_release(&list);
}
