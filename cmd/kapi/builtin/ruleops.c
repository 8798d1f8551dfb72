/*
 * Part of builtin/ruleline.h. The words of rules.txt: a function for each, and
 * their table at the end.
 */
#include "builtin/ruleline.h"

#include <stdlib.h>

#include "base/array.h"
#include "builtin/builtin.h"
#include "type/cause.h"
#include "type/objectmeta.h"

/* The detail with $1 and {path} filled in. */
static const char *
detail_of(const struct rule_run *run, const struct rule *r,
    const struct rule_place *p)
{
	struct buf b = BUF_INIT;
	const char *s = r->detail, *text;

	if (strchr(s, '{') == NULL && strchr(s, '$') == NULL)
		return s;
	for (; *s != '\0'; s++) {
		if (*s == '$' && s[1] == '1') {
			buf_adds(&b, run->arg);
			s++;
		} else if (*s == '{') {
			const char *end = strchr(s, '}');
			struct rule_path path = ruleline_path(run->arena,
			    span_make(s + 1, (size_t)(end - s) - 1));
			const struct node *n = rulecondition_value(&path, p);
			if (tree_is(n, NODE_NUMBER))
				buf_addspan(&b, n->text);
			else
				buf_addspan(&b, tree_text(n));
			s = end;
		} else {
			buf_addc(&b, *s);
		}
	}
	text = arena_str(run->arena, buf_span(&b));
	buf_release(&b);
	return text;
}

/* ---- what the words do ---- */

#define OP(name)                                                           \
	static void name(const struct rule_run *run, const struct rule *r, \
	    const struct rule_place *p, const struct rule_place *base)
#define DETAIL detail_of(run, r, base)

OP(fail_required)
{
	rule_fail_required(run->causes, p->at, DETAIL);
}

OP(fail_invalid)
{
	rule_fail_invalid(run->causes, p->at, p->n, DETAIL);
}

OP(fail_text)
{
	rule_fail_text(run->causes, p->at, tree_text(p->n), DETAIL);
}

OP(fail_int)
{
	int64_t n = 0;

	tree_get_int(p->n, &n);
	rule_fail_int(run->causes, p->at, n, DETAIL);
}

OP(fail_forbidden)
{
	rule_fail_forbidden(run->causes, p->at, DETAIL);
}

/* Does not show the value. */
OP(fail_unsaid)
{
	rule_fail_unsaid(run->causes, p->at, DETAIL);
}

OP(fail_unsupported)
{
	struct causes *c = run->causes;

	(void)base;
	cause_unsupported(c, rule_at_words(c->arena, p->at),
	    p->n != NULL ? p->n : tree_str(c->arena, ""), r->args,
	    r->arg_count);
}

OP(required)
{
	if (tree_empty(p->n))
		fail_required(run, r, p, base);
}

OP(given)
{
	if (p->n == NULL)
		fail_required(run, r, p, base);
}

OP(absent)
{
	if (p->n != NULL)
		fail_forbidden(run, r, p, base);
}

OP(unset)
{
	if (!tree_empty(p->n))
		fail_forbidden(run, r, p, base);
}

OP(in)
{
	if (!rulecondition_is_any(p->n, r->args, r->arg_count))
		fail_unsupported(run, r, p, base);
}

/* Checks as ValidateEnum does: an absent value is Required. */
OP(one_of)
{
	if (tree_empty(p->n))
		fail_required(run, r, p, base);
	else
		in(run, r, p, base);
}

/* Whether n is between the two arguments; "-" leaves a bound open. */
static bool
is_within(const struct rule *r, int64_t n)
{
	int64_t bounds[2] = {INT64_MIN, INT64_MAX};

	for (size_t i = 0; i < 2; i++)
		if (!span_is(r->args[i], "-"))
			bounds[i] = strtoll(r->args[i].p, NULL, 10);
	return n >= bounds[0] && n <= bounds[1];
}

OP(between)
{
	int64_t n;

	if (tree_get_int(p->n, &n) && !is_within(r, n))
		fail_int(run, r, p, base);
}

/* An absent value counts as 0. */
OP(amount)
{
	int64_t n = 0;

	tree_get_int(p->n, &n);
	if (!is_within(r, n))
		fail_int(run, r, p, base);
}

OP(nonnegative)
{
	int64_t n;

	(void)r, (void)base;
	if (tree_get_int(p->n, &n) && n < 0)
		rule_fail_int(run->causes, p->at, n,
		    "must be greater than or equal to 0");
}

/* At most the number at another path. */
OP(limit)
{
	int64_t n = 0, most = 0;

	tree_get_int(p->n, &n);
	tree_get_int(rulecondition_value(&r->other, base), &most);
	if (n > most)
		fail_int(run, r, p, base);
}

/* The number may not be less than before; an absent one is less than any. */
OP(grows)
{
	int64_t was, is;

	if (tree_get_int(p->was, &was) &&
	    (!tree_get_int(p->n, &is) || is < was))
		fail_int(run, r, p, base);
}

OP(at_most)
{
	if (tree_count(p->n) > strtoul(r->args[0].p, NULL, 10))
		fail_invalid(run, r, p, base);
}

OP(length)
{
	size_t max = strtoul(r->args[0].p, NULL, 10);

	if (tree_text(p->n).n > max && r->arg_count > 1)
		rule_fail_text(run->causes, p->at, r->args[1], DETAIL);
	else if (tree_text(p->n).n > max && *r->detail != '\0')
		fail_invalid(run, r, p, base);
	else if (tree_text(p->n).n > max)
		rule_fail_too_long(run->causes, p->at, max);
}

OP(positive)
{
	struct quantity q;

	if (!rule_quantity_get(p->n, &q) || quantity_sign(&q) <= 0)
		fail_invalid(run, r, p, base);
}

OP(immutable)
{
	(void)r, (void)base;
	if (run->x->live == NULL || (tree_empty(p->was) && tree_empty(p->n)))
		return;
	if (!tree_equal(p->was, p->n))
		rule_fail_invalid(
		    run->causes, p->at, p->n, "field is immutable");
}

/* Immutable, for a text: the error shows an absent one as "". */
OP(same_text)
{
	(void)r, (void)base;
	if (!span_eq(tree_text(p->was), tree_text(p->n)))
		rule_fail_text(
		    run->causes, p->at, tree_text(p->n), "field is immutable");
}

/* Two times. All have one form, so their texts compare like the times. */
OP(not_before)
{
	const struct node *other = rulecondition_value(&r->other, base);

	if (p->n != NULL && other != NULL &&
	    span_cmp(tree_text(p->n), tree_text(other)) < 0)
		fail_invalid(run, r, p, base);
}

/* The member that the line is about; NULL: an item of a list itself. */
static const char *
key_of(const struct rule *r)
{
	return r->path.n == 0 ? NULL : r->path.steps[r->path.n - 1].key;
}

/* The place in a copy of the object, where what may change is as it was. */
static struct node *
kept_at(const struct rule_run *run, const struct rule_place *p)
{
	struct node *n;

	if (p->outer == NULL) {
		if (run->state->kept == NULL)
			run->state->kept = tree_copy(run->arena, p->n);
		return run->state->kept;
	}
	n = kept_at(run, p->outer);
	return p->at->field != NULL ? rule_given(n, p->at->field)
	    : p->at->key.p != NULL  ? tree_get_span(n, p->at->key)
				    : builtin_item(n, p->at->index);
}

OP(may_change)
{
	struct node *n = kept_at(run, p->outer);

	(void)base;
	if (tree_is(n, NODE_OBJECT))
		builtin_keep_member(run->arena, p->outer->was, n, key_of(r));
}

/* Only what may change has changed. */
OP(unchanged)
{
	if (!tree_equal(kept_at(run, p), p->was))
		fail_forbidden(run, r, p, base);
}

OP(percent)
{
	(void)r, (void)base;
	rule_int_or_percent(run->causes, p->at, p->n);
}

OP(at_most_all)
{
	(void)r, (void)base;
	if (rule_is_percent(p->n) && rule_amount(p->n) > 100)
		rule_fail_invalid(
		    run->causes, p->at, p->n, "must not be greater than 100%");
}

/* The key is unique in the list, and in the list that the argument names. */
OP(unique)
{
	const char *key = key_of(r);
	const struct node *list = base->outer->n, *other = NULL;

	if (r->arg_count > 0)
		other = rulecondition_value(&r->other, base);
	if (!rule_is_among(run->arena, &run->state->indexes, list, base->index,
		key, tree_text(p->n)) &&
	    !rule_is_among(run->arena, &run->state->indexes, other,
		tree_count(other), key, tree_text(p->n)))
		return;
	if (*r->detail != '\0')
		fail_text(run, r, p, base);
	else
		rule_fail_duplicate(run->causes, p->at, p->n);
}

/* An item of the list that the argument names has the same. */
OP(known)
{
	const struct node *list = rulecondition_value(&r->other, base);

	if (tree_empty(p->n) ||
	    !rule_is_among(run->arena, &run->state->indexes, list,
		tree_count(list), key_of(r), tree_text(p->n)))
		rule_fail_not_found(run->causes, p->at, p->n);
}

OP(port_name)
{
	size_t before = run->causes->n;

	rule_port_name(run->causes, p->at, tree_text(p->n));
	if (r->arg_count > 0 && run->causes->n == before)
		unique(run, &(const struct rule){.path = r->path, .detail = ""},
		    p, base);
}

OP(port_number)
{
	int64_t n = 0;

	(void)r, (void)base;
	tree_get_int(p->n, &n);
	rule_port_number(run->causes, p->at, n);
}

#define TEXT_OP(name, check)                                \
	OP(name)                                            \
	{                                                   \
		(void)r, (void)base;                        \
		check(run->causes, p->at, tree_text(p->n)); \
	}
#define VALUE_OP(name, check)                    \
	OP(name)                                 \
	{                                        \
		(void)r, (void)base;             \
		check(run->causes, p->at, p->n); \
	}

TEXT_OP(label, rule_dns_label)
TEXT_OP(subdomain, rule_dns_subdomain)
TEXT_OP(qualified, rule_qualified_name)
TEXT_OP(label_value, rule_label_value)
TEXT_OP(config_key, rule_config_key)
TEXT_OP(address, rule_ip)
VALUE_OP(port, rule_port)
VALUE_OP(labels, rule_labels)
VALUE_OP(annotations, rule_annotations)
VALUE_OP(selector, rule_selector)

OP(call)
{
	struct rule_run inner = *run;

	(void)base;
	if (r->arg_count > 1)
		inner.arg = r->args[1].p;
	r->fn(&inner, p);
}

OP(do_section)
{
	(void)base;
	ruletable_run(run, ruleline_parsed(r->section),
	    r->arg_count > 1 ? r->args[1].p : NULL, p);
}

/* At most one of several members is given; each has a section of rules. */
OP(single)
{
	size_t found = 0;

	(void)base;
	for (size_t i = 1; i < r->arg_count; i++) {
		struct at at = {p->at, r->args[i].p, SPAN_NONE, 0};
		struct rule_place here = {
		    p, &at, rule_given(p->n, at.field), NULL, 0};
		if (here.n == NULL)
			continue;
		if (found++ > 0)
			rule_fail_forbidden(run->causes, &at,
			    rule_say(run->causes,
				"may not specify more than 1 %s", r->detail));
		else
			ruletable_run(run,
			    ruleline_section(arena_printf(
				run->arena, "%s.%s", r->args[0].p, at.field)),
			    NULL, &here);
	}
	if (found == 0)
		rule_fail_required(run->causes, p->at,
		    rule_say(run->causes, "must specify a %s", r->detail));
}

/* An error shows structs of the server by the names that Go has for their
 * members: NAME, or NAME=MEMBER; a member that is absent is "" with a " behind
 * it, 0 with a #, else null. */
OP(fail_struct)
{
	struct arena *a = run->arena;
	struct node *shown = tree_object(a);

	for (size_t i = 0; i < r->arg_count; i++) {
		struct span member = r->args[i], name;
		bool text = span_ends(member, "\"");
		bool number = span_ends(member, "#");
		struct node *n;
		member.n -= text || number;
		name = span_cut(&member, '=');
		if (member.p == NULL) {
			char *first = arena_str(a, name);
			*first |= 32;
			member = span_str(first);
		}
		n = rule_given(p->n, arena_str(a, member));
		if (n == NULL)
			n = text     ? tree_str(a, "")
			    : number ? tree_int(a, 0)
				     : tree_null(a);
		tree_set(a, shown, name, n);
	}
	/* In the order of the struct, not sorted as a map. */
	cause_invalid(run->causes, rule_at_words(a, p->at), shown, DETAIL);
}

/* ---- defaults ---- */

static void
put(const struct rule_run *run, const struct rule *r,
    const struct rule_place *p, struct node *value)
{
	if (value != NULL && tree_is(p->outer->n, NODE_OBJECT))
		tree_put(run->arena, p->outer->n, key_of(r), value);
}

/* A text that is "" counts as absent. */
OP(put_default)
{
	(void)base;
	if (tree_is(r->value, NODE_STRING) ? tree_empty(p->n) : p->n == NULL)
		put(run, r, p, tree_copy(run->arena, r->value));
}

OP(put_absent)
{
	(void)base;
	if (p->n == NULL)
		put(run, r, p, tree_copy(run->arena, r->value));
}

OP(put_zero)
{
	int64_t n = 0;

	(void)base;
	tree_get_int(p->n, &n);
	if (n == 0)
		put(run, r, p, tree_copy(run->arena, r->value));
}

/* Appends an item to a list. */
OP(put_item)
{
	struct arena *a = run->arena;

	(void)base;
	if (tree_is(p->outer->n, NODE_OBJECT))
		tree_append(a, tree_make_array(a, p->outer->n, key_of(r)),
		    tree_copy(a, r->value));
}

/* Members that are only in the object at another path. */
OP(fill)
{
	const struct node *from = rulecondition_value(&r->other, base);

	for (size_t i = 0; i < tree_count(from); i++)
		if (tree_get_span(p->n, from->members[i].key) == NULL)
			tree_set(run->arena, p->n, from->members[i].key,
			    tree_copy(run->arena, from->members[i].value));
}

OP(put_copy)
{
	struct node *n = rulecondition_value(&r->other, base);

	if (n != NULL)
		put(run, r, p, tree_copy(run->arena, n));
}

OP(put_copy_absent)
{
	if (p->n == NULL)
		put_copy(run, r, p, base);
}

/* In the object that is replaced: it is as it was. */
OP(keep)
{
	(void)base;
	if (tree_is(p->outer->n, NODE_OBJECT))
		builtin_keep_member(
		    run->arena, p->outer->was, p->outer->n, key_of(r));
}

OP(put_now)
{
	(void)base;
	put(run, r, p,
	    tree_string(run->arena, objectmeta_time_now(run->arena)));
}

OP(drop)
{
	(void)run, (void)base;
	if (tree_is(p->outer->n, NODE_OBJECT))
		tree_remove(p->outer->n, key_of(r));
}

OP(drop_same)
{
	if ((tree_empty(p->n) && tree_empty(p->was)) ||
	    tree_equal(p->n, p->was))
		drop(run, r, p, base);
}

static const struct rule_op ops[] = {
    /* errors */
    {"!required", fail_required, false},
    {"!invalid", fail_invalid, false},
    {"!text", fail_text, false},
    {"!int", fail_int, false},
    {"!forbidden", fail_forbidden, false},
    {"!unsaid", fail_unsaid, false},
    {"!unsupported", fail_unsupported, false},
    {"!struct", fail_struct, false},
    /* checks */
    {"required", required, false},
    {"given", given, false},
    {"absent", absent, false},
    {"unset", unset, false},
    {"in", in, false},
    {"enum", one_of, false},
    {"between", between, false},
    {"amount", amount, false},
    {"nonnegative", nonnegative, false},
    {"limit", limit, true},
    {"grows", grows, false},
    {"atmost", at_most, false},
    {"length", length, false},
    {"positive", positive, false},
    {"immutable", immutable, false},
    {"sametext", same_text, false},
    {"notbefore", not_before, true},
    {"may", may_change, false},
    {"unchanged", unchanged, false},
    {"percent", percent, false},
    {"max100", at_most_all, false},
    {"unique", unique, true},
    {"known", known, true},
    {"portname", port_name, false},
    {"portnumber", port_number, false},
    {"port", port, false},
    {"label", label, false},
    {"subdomain", subdomain, false},
    {"qualified", qualified, false},
    {"labelvalue", label_value, false},
    {"configkey", config_key, false},
    {"ip", address, false},
    {"labels", labels, false},
    {"annotations", annotations, false},
    {"selector", selector, false},
    {"single", single, false},
    /* defaults */
    {"=", put_default, false},
    {"?=", put_absent, false},
    {"0=", put_zero, false},
    {"+=", put_item, false},
    {"fill", fill, true},
    {"copy", put_copy, true},
    {"?copy", put_copy_absent, true},
    {"drop", drop, false},
    /* changes of a write */
    {"keep", keep, false},
    {"dropsame", drop_same, false},
    {"now", put_now, false},
    /* other rules */
    {"call", call, false},
    {"do", do_section, false},
};

const struct rule_op *
ruleline_op(struct span word)
{
	for (size_t i = 0; i < COUNT(ops); i++)
		if (span_is(word, ops[i].word))
			return &ops[i];
	return NULL;
}
