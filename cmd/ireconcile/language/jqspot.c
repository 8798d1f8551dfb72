/* Part of language/jqparser.h: text that says where it is (language/spot.h). */
#include "language/jqparser.h"

#include <stdio.h>
#include <string.h>

static void
wrap(struct jqparser *p, struct jqpart part, const char *call, int token)
{
	char behind[60];

	if (p->spots < 0 || p->failed)
		return;
	snprintf(behind, sizeof(behind), "|%s(%ld))", call, p->spots + token);
	jqparser_wrap(p, part, "(", behind);
}

static bool
is_product(const struct jqlex_token *t)
{
	return t->type == JQLEX_OTHER && t->text.n == 1 &&
	    memchr("*/%", t->c, 3) != NULL;
}

void
jqparser_spot_operator(
    struct jqparser *p, struct jqspots *spots, int at, struct jqpart next)
{
	const struct jqlex_token *t = jqparser_token(p, at);
	bool product = is_product(t);
	bool sum = t->text.n == 1 && (t->c == '+' || t->c == '-');

	if (product || sum)
		wrap(p,
		    (struct jqpart){
			product ? spots->product : spots->sum, at, true},
		    "_jq_at", at);
	if (product || (sum && !is_product(jqparser_token(p, p->at))))
		wrap(p, next, "_jq_right", at);
	if (!product)
		spots->product = next.from;
	if (!product && !sum)
		spots->sum = next.from;
}

void
jqparser_spot_pattern(struct jqparser *p, struct jqpart part)
{
	if (jqparser_next(p, JQLEX_OPEN, NULL))
		wrap(p, (struct jqpart){part.from, p->at - 1, true}, "_jq_at",
		    p->at - 1);
}

void
jqparser_spot_start(struct jqparser *p, int at)
{
	char before[60];

	if (p->spots < 0 || p->failed)
		return;
	snprintf(before, sizeof(before), " (_jq_at(%ld))", p->spots + at);
	jqparser_before(p, at, before);
}

void
jqparser_spot_access(struct jqparser *p, int from, int at)
{
	struct jqpart part = {from, at, true};

	if (jqlex_is(p->lex, at, JQLEX_OTHER, ".") &&
	    jqlex_is(p->lex, at + 1, JQLEX_OPEN, "["))
		at++;
	wrap(p, part, "_jq_at", at);
}

void
jqparser_spot_index(struct jqparser *p, struct jqpart part, int bracket)
{
	wrap(p, part, "_jq_right", bracket);
}

void
jqparser_spot_call(struct jqparser *p, struct jqpart part)
{
	char before[60];

	if (p->spots < 0 || p->failed)
		return;
	snprintf(before, sizeof(before), "(_jq_at(%ld)|", p->spots + part.from);
	jqparser_wrap(p, part, before, ")");
}

void
jqparser_spot_argument(struct jqparser *p, struct jqpart part, int call)
{
	wrap(p, part, "_jq_back", call);
}

void
jqparser_spot_use(struct jqparser *p, struct jqpart part, int at)
{
	wrap(p, part, "_jq_at", at);
}
