/*
 * fuzz-kapi: requests of clients that are almost right, to all of kapi.
 *
 *	fuzz-kapi [SECONDS [SEED [CORPUS [KEEP]]]]
 *
 * An entry of the corpus is "METHOD TARGET [CONTENT-TYPE]", a newline and the
 * body; or "RAW", a newline and the bytes of a connection, where \\xNN is one
 * (HTTP/2). Nothing crashes or
 * hangs, every whole request is answered, and what is called JSON is JSON.
 */
// needs cmd/kapi/*.c
// needs cmd/kapi/*/*.c
// needs t/fuzz/guided.c
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster.h"
#include "read/watch_hub.h"
#include "reply/faults.h"
#include "reply/journal.h"
#include "request/accounts.h"
#include "router.h"
#include "type/api.h"
#include "base/buf.h"
#include "guided.h"
#include "httpd/conn.h"
#include "httpd/httpd.h"
#include "json/json.h"
#include "tree/tree.h"
#include "process/log.h"

enum { INPUTS_OF_A_LIFE = 2000, ROUNDS = 50, INPUT_MAX = 60000 };

static const char *const words[] = {"null", "true", "[]", "{}", "\"\"", "0",
    "-1", "1e999", "12345678901234567890", "\"\\ud800\"",
    "\"metadata\":", "\"name\":", "\"namespace\":", "\"generateName\":\"g-\"",
    "\"labels\":", "\"annotations\":", "\"finalizers\":",
    "\"ownerReferences\":", "\"resourceVersion\":\"1\"", "\"uid\":\"u\"",
    "\"managedFields\":", "\"spec\":", "\"status\":", "\"$patch\":\"delete\"",
    "\"$patch\":\"replace\"", "\"$retainKeys\":", "\"$setElementOrder/ports\":",
    "\"$deleteFromPrimitiveList/finalizers\":", "f:spec",
    "k:{\\\"name\\\":", "\"op\":\"test\"",
    "\"op\":\"move\",\"from\":", "\"/metadata/labels/-\"", "/~1", "?watch=1",
    "&limit=1", "&continue=", "&labelSelector=a%20in%20(b)",
    "&fieldSelector=metadata.name%3Da", "&fieldManager=m", "&force=true",
    "&dryRun=All", "&resourceVersion=1", "&resourceVersionMatch=Exact",
    "&sendInitialEvents=true", "&fieldValidation=Strict", "&timeoutSeconds=1",
    "&propagationPolicy=Foreground", "/status", "/scale", "..", "%00", "%2f",
    "\r\n", "\r\n\r\n", ": ", "chunked", "Content-Length", "PATCH", "DELETE",
    "application/apply-patch+yaml", "application/json-patch+json",
    "application/merge-patch+json", "application/strategic-merge-patch+json",
    "- ", "\n  ", "&a", "*a", NULL};

static struct api api;
static unsigned inputs;

static void
begin(void)
{
	const struct httpd_handler handler = {
	    router_serve, router_too_large, &api};
	const struct cluster_options parts = {true, true};
	struct err err = ERR_INIT;

	api = (struct api){.loop = loop_new()};
	api.accounts = accounts_new(&err);
	api.journal = journal_open("/dev/null", JOURNAL_CHANGES, &err);
	api.faults = faults_new(&api);
	cluster_new(&api, &parts);
	cluster_begin(api.cluster, NULL, &err);
	api.httpd = httpd_new(api.loop, "127.0.0.1:0", NULL,
	    &httpd_default_limits, &handler, &err);
	if (api.httpd == NULL) {
		fprintf(stderr, "fuzz-kapi: %s\n", err.message);
		exit(1);
	}
}

static void
end(void)
{
	watch_hub_free(api.watch_hub);
	api.watch_hub = NULL;
	httpd_free(api.httpd);
	router_release(&api);
	cluster_free(api.cluster);
	journal_free(api.journal);
	faults_free(api.faults);
	accounts_free(api.accounts);
	loop_free(api.loop);
}

static void
hear(int fd, struct buf *b)
{
	for (int i = 0; i < ROUNDS; i++) {
		ssize_t n;

		loop_once(api.loop, 0);
		while ((n = recv(fd, buf_reserve(b, 65536), 65536,
			    MSG_DONTWAIT)) > 0)
			b->len += (size_t)n;
		if (n == 0)
			return;
	}
}

/* A create may wait for its namespace, 50 ms. */
static void
hear_late(int fd, struct buf *b)
{
	for (int i = 0; i < 4 && b->len == 0; i++) {
		loop_once(api.loop, 30);
		hear(fd, b);
	}
}

/* Sends text on one connection; the answers are appended. */
static void
talk(struct span bytes, struct buf *answer)
{
	int fds[2], room = 1 << 20;
	size_t sent = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
		fds) != 0)
		abort();
	setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	conn_new(api.httpd, fds[1]);
	while (sent < bytes.n) {
		ssize_t n =
		    send(fds[0], bytes.p + sent, bytes.n - sent, MSG_NOSIGNAL);

		if (n <= 0)
			break;
		sent += (size_t)n;
	}
	hear(fds[0], answer);
	if (memmem(bytes.p, bytes.n, "namespaces/", 11) != NULL)
		hear_late(fds[0], answer);
	close(fds[0]);
	for (int i = 0; i < 3; i++)
		loop_once(api.loop, 0);
}

/* A body of application/json, if it has a length. */
static void
check_answer(struct buf *b)
{
	const char *head = buf_str(b);
	const char *body = strstr(head, "\r\n\r\n");
	const char *length, *type;
	unsigned long n;
	struct arena a = ARENA_INIT;

	guided_expect(strncmp(head, "HTTP/1.1 ", 9) == 0, "an answer");
	guided_expect(strstr(head, "not yet") == NULL, "done by now");
	length = strstr(head, "content-length: ");
	type = strstr(head, "content-type: application/json\r\n");
	if (body == NULL || length == NULL || type == NULL || length > body ||
	    type > body)
		return;
	body += 4;
	n = strtoul(length + 16, NULL, 10);
	guided_expect(b->len - (size_t)(body - head) >= n, "a whole answer");
	guided_expect(
	    tree_parse(&a, span_make(body, n), TREE_LIMITS, NULL, NULL) != NULL,
	    "JSON");
	arena_release(&a);
}

static void
ask(struct span line, struct span body)
{
	struct buf b = BUF_INIT, answer = BUF_INIT;
	const char *space = memchr(line.p, ' ', line.n);
	size_t method = space == NULL ? line.n : (size_t)(space - line.p);
	struct span rest = span_make(line.p + method, line.n - method);
	size_t target;

	if (rest.n > 0)
		rest = span_make(rest.p + 1, rest.n - 1);
	space = rest.n == 0 ? NULL : memchr(rest.p, ' ', rest.n);
	target = space == NULL ? rest.n : (size_t)(space - rest.p);
	buf_add(&b, line.p, method);
	buf_addc(&b, ' ');
	buf_add(&b, rest.p, target);
	buf_adds(&b, " HTTP/1.1\r\nHost: localhost\r\n");
	if (space != NULL) {
		buf_adds(&b, "Content-Type: ");
		buf_add(&b, space + 1, rest.n - target - 1);
		buf_adds(&b, "\r\n");
	}
	buf_addf(&b, "Content-Length: %zu\r\n\r\n", body.n);
	buf_addspan(&b, body);
	talk(buf_span(&b), &answer);
	/* A fault may have cut the body. */
	if (memmem(b.data, b.len, "/kapi/", 6) == NULL)
		check_answer(&answer);
	buf_release(&b);
	buf_release(&answer);
}

static void
talk_raw(struct span text)
{
	struct buf bytes = BUF_INIT, answer = BUF_INIT;

	for (size_t i = 0; i < text.n; i++) {
		unsigned byte;

		if (i + 4 <= text.n && text.p[i] == '\\' &&
		    text.p[i + 1] == 'x' &&
		    sscanf((char[]){text.p[i + 2], text.p[i + 3], '\0'}, "%x",
			&byte) == 1) {
			buf_addc(&bytes, (char)byte);
			i += 3;
		} else
			buf_addc(&bytes, text.p[i]);
	}
	talk(buf_span(&bytes), &answer);
	buf_release(&bytes);
	buf_release(&answer);
}

static void
try(struct span input)
{
	const char *nl = input.n == 0 ? NULL : memchr(input.p, '\n', input.n);
	struct span line, body = SPAN_NONE;

	if (++inputs % INPUTS_OF_A_LIFE == 0) {
		end();
		begin();
	}
	line = input;
	if (nl != NULL) {
		line.n = (size_t)(nl - input.p);
		body = span_make(nl + 1, input.n - line.n - 1);
	}
	faults_forget(api.faults);
	if (span_is(line, "RAW"))
		talk_raw(body);
	else
		ask(line, body);
}

int
main(int argc, char **argv)
{
	const struct guided g = {
	    .corpus = argc > 3 ? argv[3] : "t/fuzz/kapi.corpus",
	    .keep = argc > 4 ? argv[4] : NULL,
	    .words = words,
	    .seconds = argc > 1 ? strtod(argv[1], NULL) : 10,
	    .seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1,
	    .max = INPUT_MAX,
	};
	int rc;

	signal(SIGPIPE, SIG_IGN);
	log_init("fuzz-kapi", LOG_TEXT, LOG_FATAL);
	begin();
	rc = guided_run(&g, try);
	end();
	return rc == 0 ? 0 : 1;
}
