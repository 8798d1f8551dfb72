/* denials: which rights are missing, by kind. */
#include "kube/denials.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "json/json.h"
#include "tap.h"

static struct denials d;
static int ends[2];

static void
fill(void *arg, struct buf *b)
{
	(void)arg;
	(void)b;
}

/* The reasons of the newest line, or "" if nothing was said. */
static const char *
said(void)
{
	static char text[65536 + 1];
	ssize_t n = read(ends[0], text, sizeof(text) - 1);
	char *at, *last = text;

	if (n <= 0)
		return "";
	text[n - 1] = '\0';
	while ((at = strchr(last, '\n')) != NULL)
		last = at + 1;
	at = strstr(last, "\"unready\":");
	return at != NULL ? at + strlen("\"unready\":") : last;
}

/* The answer to a user who may not VERB the Secret name in the namespace. */
static struct kube_error
denial(const char *verb, const char *name, const char *ns)
{
	struct kube_error e;
	struct buf message = BUF_INIT, b = BUF_INIT;

	buf_addf(&message,
	    "secrets \"%s\" is forbidden: User \"u\" cannot %s resource in %s",
	    name, verb, ns);
	buf_adds(&b, "{\"kind\":\"Status\",\"reason\":\"Forbidden\"");
	json_add_key(&b, "message");
	json_add_str(&b, buf_str(&message));
	buf_addc(&b, '}');
	kube_error_parse(&e, 403, buf_span(&b));
	buf_release(&message);
	buf_release(&b);
	return e;
}

static void
enter(struct denial **at, const char *group, const char *kind, const char *verb,
    const char *ns)
{
	struct kube_error e = denial(verb, "x", ns);

	denials_enter(&d, at, span_str(group), span_str(kind), &e);
	kube_error_release(&e);
}

TEST(counts)
{
	struct denial *a = NULL, *b = NULL, *c = NULL;

	enter(&a, "", "Secret", "patch", "n");
	is(said(),
	    "{\"Secret\":\"User \\\"u\\\" cannot patch resource in n\"}}",
	    "the first says who may not do what");
	enter(&b, "", "Secret", "patch", "n");
	enter(&a, "", "Secret", "patch", "n");
	is(said(), "", "more of the same say nothing");
	enter(&c, "apps", "Deployment", "delete", "n");
	is(said(),
	    "{\"Deployment.apps\":\"User \\\"u\\\" cannot delete resource in "
	    "n\","
	    "\"Secret\":\"User \\\"u\\\" cannot patch resource in n\"}}",
	    "another kind is a reason of its own");
	denials_leave(&d, &a);
	ok(a == NULL && *said() == '\0', "one is left: nothing changes");
	denials_leave(&d, &a);
	denials_leave(&d, &b);
	is(said(),
	    "{\"Deployment.apps\":\"User \\\"u\\\" cannot delete resource in "
	    "n\"}}",
	    "the last one ends it");
	denials_leave(&d, &c);
	is(said(), "{}}", "... for each kind");
}

TEST(sentences)
{
	struct denial *a = NULL, *b = NULL, *many[40] = {NULL};
	struct buf ns = BUF_INIT;
	const char *text;

	enter(&a, "", "Secret", "patch", "n");
	enter(&b, "", "Secret", "delete", "n");
	is(said(),
	    "{\"Secret\":\"User \\\"u\\\" cannot patch resource in n; "
	    "User \\\"u\\\" cannot delete resource in n\"}}",
	    "two rights of one kind are both named");
	enter(&a, "", "Secret", "create", "n");
	is(said(),
	    "{\"Secret\":\"User \\\"u\\\" cannot delete resource in n; "
	    "User \\\"u\\\" cannot create resource in n\"}}",
	    "one that lacks another right by now counts there");
	denials_failed(&d, &a, RETRY_TRANSIENT);
	denials_failed(&d, &a, RETRY_SOON);
	denials_failed(&d, &a, RETRY_DENIED);
	is(said(), "", "a failure before the authorizer tells nothing");
	denials_failed(&d, &a, RETRY_FORBIDDEN);
	is(said(),
	    "{\"Secret\":\"User \\\"u\\\" cannot delete resource in n\"}}",
	    "one behind it does");
	for (size_t i = 0; i < 40; i++) {
		buf_reset(&ns);
		buf_addf(&ns, "namespace-%zu", i);
		enter(&many[i], "", "Secret", "patch", buf_str(&ns));
	}
	text = said();
	ok(strlen(text) < 600 && strstr(text, "; and more\"}}") != NULL,
	    "many: as many as fit");
	ok(strstr(text, "delete resource in n;") != NULL &&
		strstr(text, "delete") < strstr(text, "patch"),
	    "... the oldest first");
	denials_leave(&d, &b);
	for (size_t i = 40; i-- > 1;)
		denials_leave(&d, &many[i]);
	is(said(),
	    "{\"Secret\":\"User \\\"u\\\" cannot patch resource in "
	    "namespace-0\"}}",
	    "the rest, in any order");
	buf_release(&ns); /* many[0]: released with d */
}

int
main(void)
{
	struct loop *l = loop_new();
	struct reportfd r;

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return 111;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	reportfd_init(&r, l, "tool", ends[1], fill, NULL);
	reportfd_ready(&r);
	said();
	denials_init(&d, &r);
	tap_run();
	denials_release(&d);
	is(said(), "", "the end says nothing");
	reportfd_release(&r);
	close(ends[0]);
	close(ends[1]);
	loop_free(l);
	return tap_done();
}
