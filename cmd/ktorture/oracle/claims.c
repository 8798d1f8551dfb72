#include "oracle/claims.h"

#include "base/array.h"
#include "base/mem.h"
#include "json/jvtext.h"
#include "oracle/normal.h"
#include "oracle/progress.h"

enum { AT_ONCE_US = 1000 * 1000, CORRECTED_US = 120 * 1000 * 1000 };

/* A hash that anything has. */
#define ANY 0

/* An object that a claim needs. */
struct need {
	struct span canon, label;
	uint64_t wanted, status;
	bool in_other;
	struct need *next;
};

/* The claim of a primary with one content of its spec. */
struct claim {
	struct need *needs;
	bool in_other;
};

struct claims {
	struct arena arena;
	struct map claims; /* by "canon hash" */
	struct map phases; /* "Kind phase" that a clean record ends with */
	struct normal_mask varies;
	jv rules; /* borrowed */
};

/* ---- what claims something ---- */

static bool
is_claimed_by(struct span type)
{
	static const char *const types[] = {"Ready", "Available", "Complete",
	    "Completed", "Succeeded", "Healthy", "Synced", "Reconciled",
	    "Established", "Deployed", NULL};

	return span_is_one_of(type, types);
}

static struct span
phase_key(struct arena *a, const struct played_change *c)
{
	struct span phase =
	    played_text(jvtext_peek(c->object, "status"), "phase");

	if (phase.n == 0)
		return SPAN_NONE;
	return arena_printf(
	    a, "%.*s %.*s", SPAN_ARG(c->life->kind), SPAN_ARG(phase));
}

/* The claim in words; NULL: none, of the generation at hand. */
static const char *
claimed(const struct claims *g, const struct played_change *c,
    struct arena *scratch)
{
	jv status = jvtext_peek(c->object, "status");
	jv list = jvtext_peek(status, "conditions");
	int64_t generation = played_number(c->metadata, "generation", -1);
	int64_t observed = played_number(status, "observedGeneration", -2);
	struct span phase;

	for (int i = 0, n = played_length(list); i < n; i++) {
		jv condition = played_at(list, i);
		struct span type = played_text(condition, "type");

		if (is_claimed_by(type) &&
		    span_is(played_text(condition, "status"), "True") &&
		    played_number(condition, "observedGeneration", observed) ==
			generation)
			return arena_str(scratch, type);
	}
	phase = phase_key(scratch, c);
	if (observed == generation && phase.n > 0 &&
	    map_get(&g->phases, phase) != NULL)
		return arena_str(
		    scratch, span_skip(phase, c->life->kind.n + 1));
	return NULL;
}

/* ---- moments of an object ---- */

/* The content that a write of the operator asks for; ANY: not known. */
static uint64_t
wanted_hash(const struct played_change *c)
{
	const struct played_request *r = c->request;
	struct span type;
	jv body;

	if (r == NULL || r->subresource.n > 0)
		return ANY;
	type = played_text(r->request, "contentType");
	body = jvtext_peek(r->request, "body");
	if (jv_get_kind(body) != JV_KIND_OBJECT ||
	    (span_is(r->verb, "patch") &&
		!span_starts(type, "application/apply-patch")))
		return ANY;
	return normal_hash(body, NORMAL_WANTED);
}

/* The last change of the life up to that line. */
static const struct played_change *
last_until(const struct played_life *l, size_t line)
{
	const struct played_change *c = l->last;

	while (c != NULL && c->line > line)
		c = c->before;
	return c;
}

/* The last content that the operator asked for, as far as is known. */
static uint64_t
wanted_at(const struct played_change *c)
{
	for (; c != NULL; c = c->before)
		if (c->by == ACTOR_OPERATOR) {
			uint64_t h = wanted_hash(c);

			if (h != ANY)
				return h;
		}
	return ANY;
}

/* Whether the life was so at a moment from one line to another. */
static bool
was_wanted(const struct played_life *l, uint64_t wanted, size_t from, size_t to)
{
	const struct played_change *c = last_until(l, to);

	for (; c != NULL && c->line > from; c = c->before)
		if (c->by == ACTOR_OPERATOR && wanted_hash(c) == wanted)
			return true;
	return c != NULL && wanted_at(c) == wanted;
}

static bool
had_status(const struct played_life *l, uint64_t status, size_t from, size_t to)
{
	const struct played_change *c = last_until(l, to);

	for (; c != NULL; c = c->before) {
		if (normal_hash(c->object, NORMAL_STATUS) == status)
			return true;
		if (c->line <= from)
			return false;
	}
	return false;
}

/* ---- claims of a record ---- */

/* The first claim of a generation. */
struct made_claim {
	const struct played_change *c;
	const char *words;
	size_t since; /* the line that made the generation */
	size_t until; /* the line before which it ends; SIZE_MAX: the end */
	struct span key;
};

typedef void claim_found(
    void *arg, const struct played *p, const struct made_claim *m);

static struct span
claim_key(struct arena *a, const struct played_change *c)
{
	struct buf b = BUF_INIT;
	struct span key;

	/* The content of the spec alone. */
	jv only = jv_object_set(jv_object(), jv_string("spec"),
	    jv_is_valid(jvtext_peek(c->object, "spec"))
		? jv_copy(jvtext_peek(c->object, "spec"))
		: jv_null());
	buf_addspan(&b, c->life->canon);
	buf_addf(
	    &b, " %llx", (unsigned long long)normal_hash(only, NORMAL_WANTED));
	jv_free(only);
	key = arena_span(a, buf_span(&b));
	buf_release(&b);
	return key;
}

static int64_t
generation_of(const struct played_change *c)
{
	return played_number(c->metadata, "generation", 0);
}

static size_t
line_of_generation(const struct played_change *c)
{
	int64_t generation = generation_of(c);

	while (c->before != NULL && generation_of(c->before) == generation)
		c = c->before;
	return c->line;
}

/* Where another generation begins, or the deletion of the primary. */
static size_t
end_of_generation(const struct played_change *c)
{
	int64_t generation = generation_of(c);
	const struct played_change *at = c->life->last;
	size_t end = SIZE_MAX;

	for (; at != c; at = at->before)
		if (generation_of(at) != generation ||
		    at->type == CHANGE_DELETED)
			end = at->line;
	return end;
}

static bool
is_going(const struct played_life *l, size_t line)
{
	return l->doomed != NULL && l->doomed->line <= line;
}

static void
find_claims(const struct claims *g, const struct played *p, claim_found *found,
    void *arg)
{
	struct arena scratch = ARENA_INIT;
	struct map done = MAP_INIT; /* the generation of a uid */

	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];
		struct made_claim m = {c, NULL, 0, 0, SPAN_NONE};
		struct span once;

		if (!progress_is_written(c) || !played_is_meant(c) ||
		    is_going(c->life, c->line))
			continue;
		m.words = claimed(g, c, &scratch);
		if (m.words == NULL)
			continue;
		once = arena_printf(&scratch, "%.*s %lld",
		    SPAN_ARG(c->life->uid), (long long)generation_of(c));
		if (map_put(&done, once, c->life) != NULL)
			continue;
		m.since = line_of_generation(c);
		m.until = end_of_generation(c);
		m.key = claim_key(&scratch, c);
		found(arg, p, &m);
	}
	map_release(&done);
	arena_release(&scratch);
}

static bool
belongs(const struct played_life *l, const struct played_life *primary)
{
	return l->owner.n > 0 ? span_eq(l->owner, primary->uid)
			      : span_eq(l->owner_key, primary->key);
}

/* ---- rules ---- */

/* A rule {"unready": KIND}, with or without the group. */
static bool
is_not_awaited(const struct claims *g, struct span kind)
{
	struct span rest = kind, short_kind = span_cut(&rest, '.');

	for (int i = 0, n = played_length(g->rules); i < n; i++) {
		struct span named =
		    played_text(played_at(g->rules, i), "unready");

		if (named.n > 0 &&
		    (span_eq(named, kind) || span_eq(named, short_kind)))
			return true;
	}
	return false;
}

/* ---- what clean records show ---- */

struct learned {
	struct claims *g;
	bool is_other;
};

static struct need *
find_need(const struct claim *c, struct span canon)
{
	struct need *n = c->needs;

	while (n != NULL && !span_eq(n->canon, canon))
		n = n->next;
	return n;
}

/* The object of that name that is there when the generation ends, or NULL. */
static const struct played_life *
at_its_end(const struct played *p, const struct played_life *l,
    const struct made_claim *m)
{
	for (size_t i = p->life_count; i-- > 0;)
		if (span_eq(p->lives[i]->canon, l->canon) &&
		    belongs(p->lives[i], m->c->life) &&
		    p->lives[i]->first->line < m->until &&
		    (p->lives[i]->gone == NULL ||
			p->lives[i]->gone->line >= m->until))
			return p->lives[i];
	return NULL;
}

static void
narrow(uint64_t *hash, uint64_t to)
{
	if (*hash != to)
		*hash = ANY;
}

static void
learn_need(struct learned *to, struct claim *claim, const struct played_life *l,
    const struct played_life *later, const struct made_claim *m)
{
	struct claims *g = to->g;
	const struct played_change *at = last_until(l, m->c->line);
	const struct played_change *end = last_until(later, m->until - 1);
	struct need *n = find_need(claim, l->canon);
	bool varies = normal_has_pattern(&g->varies, l->kind);
	uint64_t wanted = varies ? ANY : wanted_at(at);
	uint64_t status = varies ? ANY : normal_hash(at->object, NORMAL_STATUS);

	if (n == NULL) {
		/* The second record does not add to what is needed. */
		if (to->is_other)
			return;
		n = arena_zalloc(&g->arena, sizeof(*n));
		n->canon = arena_span(&g->arena, l->canon);
		n->label = arena_span(&g->arena, l->label);
		n->wanted = wanted;
		n->status = status;
		n->next = claim->needs;
		claim->needs = n;
	}
	n->in_other |= to->is_other;
	narrow(&n->wanted, wanted);
	narrow(&n->wanted, wanted_at(end));
	narrow(&n->status, status);
	narrow(&n->status, normal_hash(end->object, NORMAL_STATUS));
}

static void
learn_claim(void *arg, const struct played *p, const struct made_claim *m)
{
	struct learned *to = arg;
	struct claims *g = to->g;
	struct claim *claim = map_get(&g->claims, m->key);

	if (claim == NULL) {
		claim = arena_zalloc(&g->arena, sizeof(*claim));
		map_put(&g->claims, arena_span(&g->arena, m->key), claim);
	}
	claim->in_other |= to->is_other;
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i], *later;

		/* One with a made-up name may be of another time, and stays. */
		if (l->maker != ACTOR_OPERATOR || played_is_aside(l->kind) ||
		    !span_eq(l->key, l->canon) || !belongs(l, m->c->life) ||
		    !played_lives_at(l, m->c->line) ||
		    is_not_awaited(to->g, l->kind) ||
		    normal_masked(
			&to->g->varies, l->canon, l->kind, span_str(".")))
			continue;
		later = at_its_end(p, l, m);
		if (later != NULL)
			learn_need(to, claim, l, later, m);
	}
}

static void
learn_phases(struct claims *g, const struct played *p)
{
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i];
		struct span key;

		if (l->gone != NULL || l->maker == ACTOR_OPERATOR ||
		    !played_is_primary(p, l->kind))
			continue;
		key = phase_key(&g->arena, l->last);
		if (key.n > 0)
			map_put(&g->phases, key, (void *)p);
	}
}

struct claims *
claims_new(const struct played *clean, const struct played *other, jv rules)
{
	struct claims *g = mem_zalloc(sizeof(*g));
	struct learned to = {g, false};

	g->rules = rules;
	normal_mask_rules(&g->varies, rules, "varies");
	learn_phases(g, clean);
	learn_phases(g, other);
	find_claims(g, clean, learn_claim, &to);
	to.is_other = true;
	find_claims(g, other, learn_claim, &to);
	return g;
}

void
claims_free(struct claims *g)
{
	if (g == NULL)
		return;
	map_release(&g->claims);
	map_release(&g->phases);
	normal_mask_release(&g->varies);
	arena_release(&g->arena);
	free(g);
}

/* ---- a record ---- */

struct judging {
	const struct claims *g;
	struct violations *f;
};

/* How far a need is met, from nothing to all. */
enum met { MET_NOT, MET_THERE, MET_WANTED, MET_ALL };

static enum met
is_met(const struct played *p, const struct need *n, const struct made_claim *m)
{
	enum met best = MET_NOT;

	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i];
		enum met met = MET_THERE;

		if (!span_eq(l->canon, n->canon) || !belongs(l, m->c->life) ||
		    l->first->line > m->c->line ||
		    (l->gone != NULL && l->gone->line < m->since))
			continue;
		if (n->wanted == ANY ||
		    was_wanted(l, n->wanted, m->since, m->c->line))
			met = n->status == ANY ||
				had_status(l, n->status, m->since, m->c->line)
			    ? MET_ALL
			    : MET_WANTED;
		if (met > best)
			best = met;
	}
	return best;
}

/* ---- workloads ---- */

struct workload {
	const char *kind, *wanted; /* member of the spec, or of the status */
	const char *available;	   /* member of the status */
};

static const struct workload *
workload_of(struct span kind)
{
	static const struct workload workloads[] = {
	    {"Deployment.apps", "replicas", "availableReplicas"},
	    {"StatefulSet.apps", "replicas", "readyReplicas"},
	    {"ReplicaSet.apps", "replicas", "readyReplicas"},
	    {"DaemonSet.apps", "desiredNumberScheduled", "numberAvailable"},
	    {"Pod", NULL, NULL}};

	for (size_t i = 0; i < COUNT(workloads); i++)
		if (span_is(kind, workloads[i].kind))
			return &workloads[i];
	return NULL;
}

/* A Pod that is ready, or has ended. */
static bool
is_ready_pod(jv status)
{
	static const char *const ended[] = {"Succeeded", "Failed", NULL};
	jv list = jvtext_peek(status, "conditions");

	for (int i = 0, n = played_length(list); i < n; i++) {
		jv condition = played_at(list, i);

		if (span_is(played_text(condition, "type"), "Ready") &&
		    span_is(played_text(condition, "status"), "True"))
			return true;
	}
	return span_is_one_of(played_text(status, "phase"), ended);
}

static bool
is_available(const struct workload *w, const struct played_change *c)
{
	jv spec = jvtext_peek(c->object, "spec");
	jv status = jvtext_peek(c->object, "status");
	int64_t wanted;

	if (w->wanted == NULL)
		return is_ready_pod(status);
	wanted =
	    played_number(spec, w->wanted, played_number(status, w->wanted, 1));
	return played_number(status, "observedGeneration", -1) >=
	    generation_of(c) &&
	    played_number(status, w->available, 0) >= wanted;
}

/* Whether it was so at a moment until the claim: since the operator has written
 * it last, if that was of this generation. */
static bool
was_available(const struct workload *w, const struct played_life *l,
    const struct made_claim *m)
{
	const struct played_change *c = last_until(l, m->c->line);

	for (; c != NULL; c = c->before) {
		if (is_available(w, c))
			return true;
		if (c->line <= m->since || c->by == ACTOR_OPERATOR)
			return false;
	}
	return false;
}

static void
judge_workloads(const struct claims *g, const struct played *p,
    const struct made_claim *m, struct violations *f)
{
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i];
		const struct workload *w = workload_of(l->kind);

		if (w != NULL && l->maker == ACTOR_OPERATOR &&
		    belongs(l, m->c->life) && played_lives_at(l, m->c->line) &&
		    !is_going(l, m->c->line) && !is_not_awaited(g, l->kind) &&
		    !was_available(w, l, m))
			violations_add(f, "claim", m->c->life->label,
			    "it says %s of generation %lld, and %.*s is not "
			    "available",
			    m->words, (long long)generation_of(m->c),
			    SPAN_ARG(l->label));
	}
}

/* Whether others did something from one change to another. */
static bool
is_disturbed(const struct played_change *from, const struct played_change *to)
{
	for (const struct played_change *c = from + 1; c < to; c++)
		if (c->by == ACTOR_CLIENT || c->by == ACTOR_CLUSTER)
			return true;
	return false;
}

/* An object that is made just behind a claim, though nothing happened between, was
 * missing when it was made. */
static void
judge_order(const struct claims *g, const struct played *p,
    const struct made_claim *m, struct violations *f)
{
	for (size_t i = 0; i < p->life_count; i++) {
		const struct played_life *l = p->lives[i];

		if (l->maker == ACTOR_OPERATOR && !played_is_aside(l->kind) &&
		    !is_not_awaited(g, l->kind) && belongs(l, m->c->life) &&
		    l->earlier == NULL && l->first > m->c &&
		    l->first->line < m->until &&
		    l->first->us - m->c->us < AT_ONCE_US &&
		    !is_disturbed(m->c, l->first))
			violations_add(f, "claim", m->c->life->label,
			    "it says %s of generation %lld just before the "
			    "operator makes %.*s",
			    m->words, (long long)generation_of(m->c),
			    SPAN_ARG(l->label));
	}
}

static void
judge(void *arg, const struct played *p, const struct made_claim *m)
{
	static const char *const lacks[] = {[MET_NOT] = "was made",
	    [MET_THERE] = "had the content that it has in a clean run",
	    [MET_WANTED] = "had the status that it has in a clean run"};
	struct judging *j = arg;
	const struct claim *claim = map_get(&j->g->claims, m->key);

	bool told = false;

	for (const struct need *n =
		 claim != NULL && claim->in_other ? claim->needs : NULL;
	     n != NULL; n = n->next) {
		enum met met;

		if (!n->in_other)
			continue;
		met = is_met(p, n, m);
		if (met == MET_ALL)
			continue;
		told = true;
		violations_add(j->f, "claim", m->c->life->label,
		    "it says %s of generation %lld before %.*s %s", m->words,
		    (long long)generation_of(m->c), SPAN_ARG(n->label),
		    lacks[met]);
	}
	if (told)
		return;
	judge_order(j->g, p, m, j->f);
	judge_workloads(j->g, p, m, j->f);
}

/* ---- statuses of others ---- */

static bool
is_of_same_status(
    const struct played_request *a, const struct played_request *b)
{
	return span_is(a->subresource, "status") &&
	    span_eq(a->resource, b->resource) &&
	    span_eq(a->namespace_, b->namespace_) && span_eq(a->name, b->name);
}

/* A status for this object that the server has taken, or the object's end. The
 * same status once more changes nothing. */
static bool
is_corrected(const struct played *p, const struct played_change *of)
{
	const struct played_life *l = of->life;

	for (size_t i = 0; i < p->request_count; i++) {
		const struct played_request *r = &p->requests[i];
		struct span uid;

		if (r->line <= of->request->line || r->by != ACTOR_OPERATOR ||
		    r->us > of->us + CORRECTED_US || r->code < 200 ||
		    r->code >= 300 || !is_of_same_status(r, of->request))
			continue;
		uid = played_meant_uid(r);
		if (uid.n == 0 || span_eq(uid, l->uid))
			return true;
	}
	return l->gone != NULL && l->gone->us <= of->us + CORRECTED_US;
}

static void
check_uids(const struct played *p, struct violations *f)
{
	for (size_t i = 0; i < p->change_count; i++) {
		const struct played_change *c = &p->changes[i];

		if (progress_is_written(c) && !played_is_meant(c) &&
		    !is_corrected(p, c))
			violations_add(f, "claim", c->life->label,
			    "it has the status of an earlier object of that "
			    "name");
	}
}

void
claims_check(
    const struct claims *g, const struct played *p, struct violations *f)
{
	struct judging j = {g, f};

	find_claims(g, p, judge, &j);
	check_uids(p, f);
}
