#include "access/review.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/random.h>

#include "base/array.h"
#include "base/lru.h"
#include "base/mem.h"
#include "json/json.h"
#include "kube/retry.h"
#include "process/clock.h"
#include "process/log.h"
#include "value/digest.h"

enum {
	KNOWN_MAX = 256,
	ASKING_MAX = 16,   /* questions under way */
	WAITING_MAX = 64,  /* visitors that wait for them */
	TOKEN_MAX = 16384, /* longer than any header that is accepted */
	TOKEN_MS = 60000,
	ALLOWED_MS = 300000,
	DENIED_MS = 30000,
	ANSWER_MS = 10000, /* a question, with all its tries */
	RETRY_MS = 500,
	RETRY_MAX_MS = 2500,
	TRIES = 5,
	COMPLAIN_MS = 10000 /* interval of logs about repeated failures */
};

/* The API server's answer about a token and a method. */
struct known {
	struct lru_entry entry; /* the first member */
	uint64_t token_until_ms, access_until_ms;
	bool authenticated, allowed;
	unsigned char user[DIGEST_SIZE]; /* the user whose right was checked */
	char name[128];			 /* for the answer */
};

enum step { ASK_TOKEN, ASK_ACCESS };

/* A question under way, and the visitors that wait for its answer. */
struct asking {
	LIST_ENTRY(asking) next;
	struct review *review;
	char key[2 * DIGEST_SIZE + 1];
	char *method; /* owned, lower case */
	enum step step;
	struct buf body; /* holds the token: cleared */
	char *name;	 /* owned: the user's */
	unsigned char user[DIGEST_SIZE];
	struct kube_call *call;
	uint64_t until_ms; /* when the review has failed */
	struct timer again;
	struct kube_backoff backoff;
	LIST_HEAD(, review_call) waiting;
};

struct review_call {
	LIST_ENTRY(review_call) next;
	struct asking *asking;
	review_fn *fn;
	void *arg;
};

struct review {
	struct loop *loop;
	struct kube *kube;
	const char *path;
	unsigned char secret[DIGEST_SIZE];
	struct lru known;
	LIST_HEAD(, asking) asking;
	size_t asking_count, waiting_count;
	uint64_t complained_ms;
};

struct review *
review_new(struct loop *l, struct kube *k, const char *path)
{
	struct review *r = mem_zalloc(sizeof(*r));

	r->loop = l;
	r->kube = k;
	r->path = path;
	/* For so few bytes it cannot fail after the kernel is initialised. */
	if (getrandom(r->secret, sizeof(r->secret), 0) < 0)
		log_warning("no random numbers: digests have a known key");
	lru_init(&r->known, sizeof(struct known), KNOWN_MAX);
	return r;
}

static void
asking_free(struct asking *a)
{
	struct review *r = a->review;

	LIST_REMOVE(a, next);
	r->asking_count--;
	if (a->call != NULL)
		kube_cancel(a->call);
	loop_cancel(r->loop, &a->again);
	buf_wipe(&a->body);
	free(a->method);
	free(a->name);
	free(a);
}

void
review_free(struct review *r)
{
	if (r == NULL)
		return;
	while (!LIST_EMPTY(&r->asking))
		asking_free(LIST_FIRST(&r->asking));
	lru_release(&r->known);
	free(r);
}

/* ---- answers ---- */

/* Answers all waiting visitors, and ends a. */
static void
answer(struct asking *a, int status, const char *text)
{
	struct review_call *c;

	while ((c = LIST_FIRST(&a->waiting)) != NULL) {
		LIST_REMOVE(c, next);
		a->review->waiting_count--;
		c->fn(c->arg, status, span_str(text));
		free(c);
	}
	asking_free(a);
}

/* The status for the client, and the text. */
static int
verdict(const struct known *k, struct buf *text)
{
	if (!k->authenticated) {
		buf_adds(text, "Unauthorized\n");
		return 401;
	}
	if (k->allowed)
		return 200;
	buf_addf(text, "Authorization denied for user %s\n", k->name);
	return 403;
}

static void
decide(struct asking *a, const struct known *k)
{
	struct buf text = BUF_INIT;
	int status = verdict(k, &text);

	answer(a, status, buf_str(&text));
	buf_release(&text);
}

/* The API server could not be asked. */
static void
fail(struct asking *a, const struct kube_error *e)
{
	struct review *r = a->review;
	struct buf b = BUF_INIT;
	uint64_t now = clock_ms();

	if (r->complained_ms == 0 || now - r->complained_ms > COMPLAIN_MS) {
		r->complained_ms = now;
		kube_error_public(&b, e, span_str("Secret"));
		log_error("cannot ask who may read %s: %s: %s", r->path,
		    a->step == ASK_TOKEN ? "TokenReview"
					 : "SubjectAccessReview",
		    buf_str(&b));
		buf_reset(&b);
	}
	if (a->step == ASK_TOKEN)
		buf_adds(&b, "Authentication failed\n");
	else
		buf_addf(&b, "Authorization for user %s failed\n", a->name);
	answer(a, 500, buf_str(&b));
	buf_release(&b);
}

/* ---- questions ---- */

static void send(void *arg);

static void take_token(struct asking *a, struct span status);
static void take_access(struct asking *a, struct span status);

static void
on_answer(void *arg, const struct kube_answer *answered)
{
	struct asking *a = arg;
	const struct kube_error *e = &answered->error;
	struct span status;
	uint64_t wait;

	a->call = NULL;
	if (e->kind == ERR_TRANSIENT && a->backoff.n + 1 < TRIES) {
		wait = kube_backoff_next(&a->backoff, RETRY_MS, RETRY_MAX_MS);
		if (clock_ms() + wait < a->until_ms) {
			loop_after(a->review->loop, &a->again, wait, send, a);
			return;
		}
	}
	if (e->kind != ERR_NONE) {
		fail(a, e);
		return;
	}
	status = json_get(answered->body, "status");
	if (a->step == ASK_TOKEN)
		take_token(a, status);
	else
		take_access(a, status);
}

static void
send(void *arg)
{
	struct asking *a = arg;
	uint64_t now = clock_ms();
	const struct kube_request r = {.verb = KUBE_CREATE,
	    .path = a->step == ASK_TOKEN
		? "/apis/authentication.k8s.io/v1/tokenreviews"
		: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
	    .body = buf_span(&a->body),
	    .timeout_ms = a->until_ms > now ? a->until_ms - now : 1};

	a->call = kube_start(a->review->kube, &r, on_answer, a);
}

static void
ask_token(struct asking *a, struct span token)
{
	struct buf *b = &a->body;

	a->step = ASK_TOKEN;
	a->until_ms = clock_ms() + ANSWER_MS;
	buf_adds(b,
	    "{\"apiVersion\":\"authentication.k8s.io/v1\","
	    "\"kind\":\"TokenReview\",\"spec\":{\"token\":");
	json_add_string(b, token);
	buf_adds(b, "}}");
	send(a);
}

/* The user as the API server gave it, without missing members. */
static void
add_user(struct buf *b, struct span user)
{
	static const char *const names[][2] = {{"username", "user"},
	    {"uid", "uid"}, {"groups", "groups"}, {"extra", "extra"}};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct span v = json_get(user, names[i][0]);

		if (v.p == NULL)
			continue;
		json_add_key(b, names[i][1]);
		buf_addspan(b, v);
	}
}

static void
ask_access(struct asking *a, struct span user)
{
	struct buf *b = &a->body;

	buf_wipe(b);
	a->step = ASK_ACCESS;
	a->until_ms = clock_ms() + ANSWER_MS;
	a->backoff = (struct kube_backoff){0};
	buf_adds(b,
	    "{\"apiVersion\":\"authorization.k8s.io/v1\","
	    "\"kind\":\"SubjectAccessReview\",\"spec\":{");
	add_user(b, user);
	json_add_key(b, "nonResourceAttributes");
	buf_adds(b, "{\"path\":");
	json_add_str(b, a->review->path);
	json_add_key(b, "verb");
	json_add_str(b, a->method);
	buf_adds(b, "}}}");
	send(a);
}

static void
take_token(struct asking *a, struct span status)
{
	struct span user = json_get(status, "user");
	struct buf b = BUF_INIT, scratch = BUF_INIT;
	struct known *k = lru_touch(&a->review->known, span_str(a->key));
	struct span name = json_string(json_get(user, "username"), &scratch);
	uint64_t now = clock_ms();

	k->authenticated =
	    json_type(json_get(status, "authenticated")) == JSON_TRUE;
	k->token_until_ms = now + TOKEN_MS;
	add_user(&b, user);
	digest_sha256(buf_span(&b), a->user);
	a->name = mem_dup(name.p,
	    strnlen(name.p != NULL ? name.p : "",
		name.n < sizeof(k->name) - 1 ? name.n : sizeof(k->name) - 1));
	memcpy(k->name, a->name, strlen(a->name) + 1);
	/* Another user has another right, also for callers that come
	 * meanwhile. */
	if (memcmp(k->user, a->user, sizeof(k->user)) != 0)
		k->access_until_ms = 0;
	if (!k->authenticated || now < k->access_until_ms)
		decide(a, k);
	else
		ask_access(a, user);
	buf_release(&b);
	buf_release(&scratch);
}

static void
take_access(struct asking *a, struct span status)
{
	struct known *k = lru_touch(&a->review->known, span_str(a->key));

	k->allowed = json_type(json_get(status, "allowed")) == JSON_TRUE;
	k->access_until_ms = clock_ms() + (k->allowed ? ALLOWED_MS : DENIED_MS);
	memcpy(k->user, a->user, sizeof(k->user));
	/* The entry may have been forgotten since the token was asked. */
	k->authenticated = true;
	memcpy(k->name, a->name, strlen(a->name) + 1);
	decide(a, k);
}

/* ---- callers ---- */

struct span
review_credential(struct span header, const char *scheme)
{
	size_t n = strlen(scheme);
	struct span rest = span_trim(header, SPAN_BLANKS);

	if (rest.n <= n || strncasecmp(rest.p, scheme, n) != 0 ||
	    rest.p[n] != ' ')
		return SPAN_NONE;
	rest = span_skip(rest, n + 1);
	return span_cut(&rest, ' ');
}

static void
make_key(struct review *r, struct span token, struct span method,
    char key[2 * DIGEST_SIZE + 1])
{
	struct buf b = BUF_INIT, text = BUF_INIT;
	unsigned char digest[DIGEST_SIZE];

	buf_addspan(&b, method);
	buf_addc(&b, ' ');
	buf_addspan(&b, token);
	digest_hmac(span_make((const char *)r->secret, sizeof(r->secret)),
	    buf_span(&b), digest);
	digest_add_hex(&text, digest, sizeof(digest));
	memcpy(key, buf_str(&text), 2 * DIGEST_SIZE + 1);
	buf_release(&text);
	buf_wipe(&b);
}

static struct asking *
asking_new(struct review *r, const char *key, struct span method)
{
	struct asking *a = mem_zalloc(sizeof(*a));

	a->review = r;
	memcpy(a->key, key, sizeof(a->key));
	a->method = mem_dup(method.p, method.n);
	for (char *p = a->method; *p != '\0'; p++)
		*p = (char)tolower((unsigned char)*p);
	LIST_INSERT_HEAD(&r->asking, a, next);
	r->asking_count++;
	return a;
}

/* Answers from memory; false: the API server must be asked. */
static bool
answer_known(struct review *r, const char *key, review_fn *fn, void *arg)
{
	const struct known *k = lru_touch(&r->known, span_str(key));
	uint64_t now = clock_ms();
	struct buf text = BUF_INIT;
	int status;

	if (now >= k->token_until_ms ||
	    (k->authenticated && now >= k->access_until_ms))
		return false;
	status = verdict(k, &text);
	fn(arg, status, span_str(buf_str(&text)));
	buf_release(&text);
	return true;
}

struct review_call *
review_start(struct review *r, struct span token, struct span method,
    review_fn *fn, void *arg)
{
	char key[2 * DIGEST_SIZE + 1];
	struct review_call *c;
	struct asking *a;

	if (token.n == 0 || token.n > TOKEN_MAX) {
		fn(arg, 401, span_str("Unauthorized\n"));
		return NULL;
	}
	make_key(r, token, method, key);
	if (answer_known(r, key, fn, arg))
		return NULL;
	LIST_FOREACH (a, &r->asking, next)
		if (strcmp(a->key, key) == 0)
			break;
	if (r->waiting_count >= WAITING_MAX ||
	    (a == NULL && r->asking_count >= ASKING_MAX)) {
		fn(arg, 503, span_str("Too many reviews are under way\n"));
		return NULL;
	}
	c = mem_zalloc(sizeof(*c));
	*c = (struct review_call){.fn = fn, .arg = arg};
	r->waiting_count++;
	if (a == NULL) {
		a = asking_new(r, key, method);
		ask_token(a, token);
	}
	c->asking = a;
	LIST_INSERT_HEAD(&a->waiting, c, next);
	return c;
}

void
review_cancel(struct review_call *c)
{
	LIST_REMOVE(c, next);
	c->asking->review->waiting_count--;
	/* The answer will be used later: the question goes on. */
	free(c);
}
