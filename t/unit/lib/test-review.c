// alone: it has a clock of its own
/* access/review.h, with an API server in the same process: what holds when its
 * answers change, or stay out. */
#include "access/review.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "kubeconfig/kubeopt.h"
#include "served.h"

/* Instead of libc's: minutes pass at once. */
static long ahead_s;

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (rc == 0 && id == CLOCK_BOOTTIME)
		t->tv_sec += ahead_s;
	return rc;
}

/* ---- the API server ---- */

static const char *token_status, *access_status; /* NULL: 403 */
static bool hold;				 /* the next access review */
static struct exchange *held;
static struct buf asked; /* the last access review */
static int reviews;

static void
answer(struct exchange *x, const char *status)
{
	struct buf b = BUF_INIT;

	if (status == NULL)
		buf_adds(&b,
		    "{\"kind\":\"Status\",\"apiVersion\":\"v1\","
		    "\"reason\":\"Forbidden\",\"code\":403}");
	else
		buf_addf(&b, "{\"status\":%s}", status);
	httpd_reply(x, status == NULL ? 403 : 201, NULL, 0, buf_span(&b));
	buf_release(&b);
}

static void
on_review_request(void *arg, struct exchange *x, const struct httpd_request *r)
{
	(void)arg;
	reviews++;
	if (span_ends(r->path, "/tokenreviews")) {
		answer(x, token_status);
		return;
	}
	buf_reset(&asked);
	buf_addspan(&asked, r->body);
	if (hold)
		held = x;
	else
		answer(x, access_status);
	hold = false;
}

/* ---- visitors ---- */

static struct kube *kube;
static struct review *review;

struct visit {
	int status; /* 0: not yet */
	char text[200];
};

static void
on_answer(void *arg, int status, struct span text)
{
	struct visit *v = arg;

	v->status = status;
	snprintf(v->text, sizeof(v->text), "%.*s", SPAN_ARG(text));
}

static void
begin(struct visit *v, struct span token)
{
	*v = (struct visit){0};
	review_start(review, token, span_str("GET"), on_answer, v);
}

static int
status_of(const char *token)
{
	struct visit v;

	begin(&v, span_str(token));
	until(v.status != 0);
	return v.status;
}

#define USER(groups)                                                          \
	"{\"authenticated\":true,\"user\":{\"username\":\"jane\",\"groups\":" \
	"[" groups "]}}"
#define MAY "{\"allowed\":true}"
#define MAY_NOT "{\"allowed\":false}"

static void
open_all(void)
{
	const struct httpd_handler handler = {.on_request = on_review_request};
	char url[64];
	struct kube_opts o = {.server = url};
	struct err err = ERR_INIT;

	setenv("KUBECONFIG", "/nowhere", 1);
	loop = loop_new();
	server = httpd_new(
	    loop, "127.0.0.1:0", NULL, &httpd_default_limits, &handler, &err);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", httpd_port(server));
	kube = kube_open(loop, &o, "tester", &err);
	if (kube == NULL) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	review = review_new(loop, kube, "/view");
}

static void
close_all(void)
{
	review_free(review);
	kube_free(kube);
	serve_no_more();
	buf_release(&asked);
}

/* ---- tests ---- */

TEST(memory)
{
	token_status = USER("\"readers\"");
	access_status = MAY;
	ok(status_of("one") == 200, "a user with the right");
	is(buf_str(&asked),
	    "{\"apiVersion\":\"authorization.k8s.io/v1\","
	    "\"kind\":\"SubjectAccessReview\",\"spec\":{\"user\":\"jane\","
	    "\"groups\":[\"readers\"],\"nonResourceAttributes\":"
	    "{\"path\":\"/view\",\"verb\":\"get\"}}}",
	    "... which was asked for");
	token_status = "{\"authenticated\":false}";
	reviews = 0;
	ok(status_of("one") == 200 && reviews == 0,
	    "a revoked token holds as long as it is kept");
	ahead_s += 61;
	ok(status_of("one") == 401 && reviews == 1, "... and no longer");
	token_status = USER("\"readers\"");
	ok(status_of("one") == 401 && reviews == 1, "... from memory");
	ahead_s += 61;
	ok(status_of("one") == 200 && reviews == 3,
	    "a token that is known again: both were asked");
	ahead_s += 61;
	ok(status_of("one") == 200 && reviews == 4,
	    "another token review of the same user: the right is kept");
	ahead_s += 301;
	access_status = MAY_NOT;
	ok(status_of("one") == 403, "a right that was taken away");
	access_status = MAY;
	ok(status_of("one") == 403, "... from memory");
	ahead_s += 31;
	ok(status_of("one") == 200, "... until it is given again");
}

/* The groups of a user have changed: what they might before says nothing. */
TEST(other_user)
{
	struct visit first, second;

	token_status = USER("\"readers\"");
	access_status = MAY;
	ok(status_of("two") == 200, "a member of a group with the right");
	ahead_s += 61;
	token_status = USER("");
	access_status = NULL;
	ok(status_of("two") == 500,
	    "one no longer, while rights cannot be asked for");
	ok(status_of("two") == 500, "... again");
	hold = true;
	access_status = MAY_NOT;
	begin(&first, span_str("two"));
	until(held != NULL);
	begin(&second, span_str("two"));
	ok(first.status == 0 && second.status == 0,
	    "the answer is waited for by all");
	answer(held, access_status);
	held = NULL;
	until(first.status != 0 && second.status != 0);
	ok(first.status == 403 && second.status == 403, "... and is no");
}

TEST(odd_answers)
{
	static const char *const none[] = {"{}", "[]", "null", "7",
	    "{\"authenticated\":\"true\",\"user\":{\"username\":\"x\"}}",
	    "{\"authenticated\":1}", "{\"user\":{\"username\":\"x\"}}"};
	char token[16];

	access_status = MAY;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		snprintf(token, sizeof(token), "odd-%zu", i);
		token_status = none[i];
		ok(status_of(token) == 401, none[i]);
	}
	token_status = USER("");
	for (size_t i = 0; i < 4; i++) {
		snprintf(token, sizeof(token), "may-%zu", i);
		access_status = none[i];
		ok(status_of(token) == 403, none[i]);
	}
	access_status = "{\"allowed\":\"true\"}";
	ok(status_of("may-text") == 403, access_status);
}

TEST(odd_names)
{
	struct visit v;

	token_status = "{\"authenticated\":true,\"user\":{\"username\":"
		       "\"a\\u0000b\\r\\nset-cookie: \\u00fc\"}}";
	access_status = MAY_NOT;
	begin(&v, span_make("odd\0\xff\"\\token", 12));
	until(v.status != 0);
	ok(v.status == 403, "a name and a token of odd bytes");
	is(v.text, "Authorization denied for user a\n", "... are data");
	ok(span_find(buf_span(&asked), '\0') == NULL &&
		strstr(buf_str(&asked), "a\\u0000b\\r\\nset-cookie") != NULL,
	    "... the API server is asked about the same name");
	token_status = "{\"authenticated\":true,\"user\":{}}";
	access_status = MAY_NOT;
	ok(status_of("nobody") == 403, "a user without a name");
	is(buf_str(&asked),
	    "{\"apiVersion\":\"authorization.k8s.io/v1\","
	    "\"kind\":\"SubjectAccessReview\",\"spec\":"
	    "{\"nonResourceAttributes\":{\"path\":\"/"
	    "view\",\"verb\":\"get\"}}}",
	    "... is asked about as JSON");
}

TEST(credentials)
{
	static const struct {
		const char *header, *want;
	} cases[] = {{NULL, ""}, {"", ""}, {"Bearer", ""}, {"Bearer ", ""},
	    {"Bearer x", "x"}, {"bEARER x y", "x"}, {"  Bearer x  ", "x"},
	    {"Bearer  x", ""}, {"Bearer\tx", ""}, {"Bearerx", ""},
	    {"Basic x", ""}, {"x Bearer y", ""}, {"Bearer x, Basic y", "x,"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(span_eq(
		       review_credential(span_str(cases[i].header), "bearer"),
		       span_str(cases[i].want)),
		    cases[i].header != NULL ? cases[i].header : "no header");
}

int
main(void)
{
	signal(SIGPIPE, SIG_IGN);
	open_all();
	tap_run();
	close_all();
	return tap_done();
}
