#include "oracle/oracle.h"

#include "base/mem.h"
#include "oracle/author.h"
#include "oracle/claims.h"
#include "oracle/crashes.h"
#include "oracle/endstate.h"
#include "oracle/finals.h"
#include "oracle/foreign.h"
#include "oracle/late.h"
#include "oracle/leaks.h"
#include "oracle/leadership.h"
#include "oracle/normal.h"
#include "oracle/played.h"
#include "oracle/progress.h"
#include "oracle/remade.h"
#include "oracle/traffic.h"
#include "oracle/violations.h"

struct oracle {
	struct played *clean, *other;
	jv rules;
	struct endstate *end;
	struct remade *remade;
	struct foreign *foreign;
	struct claims *claims;
	struct progress *progress;
	struct finals *finals;
	struct late *late;
	struct leaks *leaks;
	struct author *author;
	struct traffic clean_traffic, other_traffic;
};

struct oracle *
oracle_new(jv clean, jv other, jv rules, struct err *err)
{
	struct oracle *o = mem_zalloc(sizeof(*o));

	o->rules = rules;
	o->author = author_new(rules, err);
	if (o->author == NULL) {
		jv_free(clean);
		jv_free(other);
		oracle_free(o);
		return NULL;
	}
	o->clean = played_new(clean);
	o->other = played_new(other);
	o->end = endstate_new(o->clean, o->other, rules);
	o->remade = remade_new(o->clean, o->other, rules);
	o->foreign = foreign_new(o->clean, o->other);
	o->claims = claims_new(o->clean, o->other, rules);
	o->finals = finals_new(o->clean, o->other);
	o->late = late_new(o->clean, o->other, rules);
	o->leaks = leaks_new(o->clean, o->other);
	o->progress = progress_new(rules);
	progress_learn(o->progress, o->clean);
	progress_learn(o->progress, o->other);
	traffic_count(&o->clean_traffic, o->clean);
	traffic_count(&o->other_traffic, o->other);
	return o;
}

void
oracle_free(struct oracle *o)
{
	if (o == NULL)
		return;
	endstate_free(o->end);
	remade_free(o->remade);
	foreign_free(o->foreign);
	claims_free(o->claims);
	progress_free(o->progress);
	finals_free(o->finals);
	late_free(o->late);
	leaks_free(o->leaks);
	author_free(o->author);
	played_free(o->clean);
	played_free(o->other);
	jv_free(o->rules);
	free(o);
}

void
oracle_learn(struct oracle *o, jv record)
{
	struct played *p = played_new(record);

	progress_learn(o->progress, p);
	finals_learn(o->finals, p);
	played_free(p);
}

jv
oracle_check(const struct oracle *o, jv record)
{
	struct played *p = played_new(record);
	struct violations f = {jv_array()};

	crashes_check(p, &f);
	endstate_check(o->end, p, &f);
	remade_check(o->remade, p, &f);
	foreign_check(o->foreign, p, &f);
	claims_check(o->claims, p, &f);
	progress_check(o->progress, p, &f);
	finals_check(o->finals, p, &f);
	late_check(o->late, p, &f);
	leaks_check(o->leaks, p, &f);
	leadership_check(p, &f);
	author_check(o->author, p, &f);
	traffic_check(&o->clean_traffic, &o->other_traffic, p, &f);
	played_free(p);
	return f.list;
}

static jv
with_number(jv object, const char *key, double n)
{
	return jv_object_set(object, jv_string(key), jv_number(n));
}

jv
oracle_counts(jv record)
{
	struct played *p = played_new(record);
	struct traffic t;
	jv counts = jv_object();

	traffic_count(&t, p);
	counts = with_number(counts, "requests", (double)t.requests);
	counts = with_number(counts, "writes", (double)t.writes);
	counts = with_number(counts, "changes", (double)t.changes);
	counts = with_number(counts, "seconds", (double)t.slowest_us / 1e6);
	played_free(p);
	return counts;
}

bool
oracle_same_status(jv a, jv b)
{
	return normal_hash(a, NORMAL_STATUS) == normal_hash(b, NORMAL_STATUS);
}

void
oracle_add_line(struct buf *b, jv v)
{
	struct span object = played_text(v, "object");

	buf_addspan(b, played_text(v, "invariant"));
	buf_adds(b, ": ");
	if (object.n > 0) {
		buf_addspan(b, object);
		buf_adds(b, ": ");
	}
	buf_addspan(b, played_text(v, "text"));
}
