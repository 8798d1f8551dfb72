#include "oracle/author.h"

#include "base/mem.h"
#include "json/jvtext.h"
#include "libjq/jqcompile.h"
#include "oracle/normal.h"

struct author_rule {
	struct span name; /* borrowed from the rules */
	bool is_of_history;
	jq_state *jq;
};

struct author {
	struct author_rule *rules;
	size_t count;
	bool has_always;
};

/* ---- programs ---- */

/* The first error in a program. */
static void
keep_message(void *arg, jv message)
{
	struct buf *b = arg;
	jv text = jq_format_error(message);
	struct span first = jvtext_span(text);

	if (b->len == 0)
		buf_addspan(b, span_cut(&first, '\n'));
	jv_free(text);
}

static void
drop_message(void *arg, jv message)
{
	(void)arg;
	jv_free(message);
}

static jv
no_input(jq_state *jq, void *arg)
{
	(void)jq;
	(void)arg;
	return jv_invalid();
}

static int
add_rule(struct author *a, struct span name, bool is_of_history, jv program,
    struct err *err)
{
	struct buf message = BUF_INIT;
	struct jqcompile_callbacks calls = {
	    drop_message, no_input, keep_message, &message};
	jq_state *jq = NULL;
	int result = 0;

	if (jv_get_kind(program) != JV_KIND_STRING)
		result = err_set(err, ERR_PERMANENT,
		    "the rule %.*s has no program: \"jq\"", SPAN_ARG(name));
	else if ((jq = jqcompile_state(&calls)) == NULL)
		result = err_set(err, ERR_TRANSIENT, "out of memory");
	else if (!jqcompile(jq, jv_string_value(program)))
		result = err_set(err, ERR_PERMANENT,
		    "the program of the rule %.*s: %s", SPAN_ARG(name),
		    buf_str(&message));
	buf_release(&message);
	if (result != 0) {
		if (jq != NULL)
			jq_teardown(&jq);
		return -1;
	}
	/* The buffer is gone. */
	jq_set_error_cb(jq, drop_message, NULL);
	a->rules = mem_grow(a->rules, a->count, sizeof(*a->rules));
	a->rules[a->count++] = (struct author_rule){name, is_of_history, jq};
	a->has_always |= !is_of_history;
	return 0;
}

struct author *
author_new(jv rules, struct err *err)
{
	struct author *a = mem_zalloc(sizeof(*a));

	for (int i = 0, n = played_length(rules); i < n; i++) {
		jv rule = played_at(rules, i);
		struct span always = played_text(rule, "always");
		struct span history = played_text(rule, "history");

		if (always.p == NULL && history.p == NULL)
			continue;
		if (add_rule(a, always.p != NULL ? always : history,
			always.p == NULL, jvtext_peek(rule, "jq"), err) != 0) {
			author_free(a);
			return NULL;
		}
	}
	return a;
}

void
author_free(struct author *a)
{
	if (a == NULL)
		return;
	for (size_t i = 0; i < a->count; i++)
		jq_teardown(&a->rules[i].jq);
	free(a->rules);
	free(a);
}

/* ---- a record ---- */

/* Whether the rule holds; else tells why not. */
static bool
holds(const struct author_rule *r, jv input, const struct played_change *c,
    struct violations *f)
{
	struct span label = c != NULL ? c->life->label : SPAN_NONE;
	const char *after = c != NULL ? " after a change of it" : "";
	jv result;
	bool right;

	jq_start(r->jq, input, 0);
	result = jq_next(r->jq);
	right = jv_get_kind(result) == JV_KIND_TRUE;
	if (!right && !jv_is_valid(result) &&
	    jv_invalid_has_msg(jv_copy(result))) {
		jv message = jv_invalid_get_msg(jv_copy(result));

		violations_add(f, "author", label, "%.*s fails%s: %s",
		    SPAN_ARG(r->name), after, normal_show(message));
		jv_free(message);
	} else if (!right && jv_get_kind(result) == JV_KIND_STRING)
		violations_add(f, "author", label, "%.*s does not hold%s: %s",
		    SPAN_ARG(r->name), after, jv_string_value(result));
	else if (!right)
		violations_add(f, "author", label, "%.*s does not hold%s",
		    SPAN_ARG(r->name), after);
	jv_free(result);
	return right;
}

static jv
history_of(const struct played *p)
{
	jv all = jv_array_sized((int)p->change_count + 1);

	for (size_t i = 0; i < p->change_count; i++)
		all = jv_array_append(all,
		    jv_array_get(jv_copy(p->record), (int)p->changes[i].line));
	return all;
}

/* The objects that are there behind a line. */
static jv
state_at(const struct played *p, size_t line)
{
	jv state = jv_array();

	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i];
		const struct played_change *c = l->last;

		if (!played_lives_at(l, line))
			continue;
		while (c->line > line)
			c = c->before;
		state = jv_array_append(state, jv_copy(c->object));
	}
	return state;
}

static void
check_always(
    const struct author *a, const struct played *p, struct violations *f)
{
	bool *told = mem_zalloc(a->count * sizeof(*told));

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];
		jv state = state_at(p, c->line);

		for (size_t k = 0; k < a->count; k++)
			if (!a->rules[k].is_of_history && !told[k])
				told[k] =
				    !holds(&a->rules[k], jv_copy(state), c, f);
		jv_free(state);
	}
	free(told);
}

void
author_check(
    const struct author *a, const struct played *p, struct violations *f)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->rules[i].is_of_history)
			holds(&a->rules[i], history_of(p), NULL, f);
	if (a->has_always)
		check_always(a, p, f);
}
