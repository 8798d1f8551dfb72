/* Part of envtest/envtest.h: kapi as etcd. */
#include "envtest/envtest.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "httpd/httpd.h"
#include "process/log.h"
#include "process/opt.h"

enum { URLS_MAX = 16 };

/* Recorded from etcd 3.6; controller-runtime looks at the status only. */
static const char health[] = "{\"health\":\"true\",\"reason\":\"\"}";
static const char version[] =
    "{\"etcdserver\":\"3.6.0\",\"etcdcluster\":\"3.6.0\","
    "\"storage\":\"3.6.0\"}";
static const char help[] =
    "etcd, played by kapi " KPIPE_VERSION
    " (see kapi(1)). It holds nothing.\n\nFlags:\n"
    "  --listen-client-urls 'http://localhost:2379'\n"
    "    Where /health and /version are served. Other flags are ignored.\n"
    "  --unsafe-no-fsync 'false'\n"
    "    Ignored.\n";

static void
serve(void *arg, struct exchange *x, const struct httpd_request *r)
{
	const struct httpd_header json = {
	    span_str("content-type"), span_str("application/json")};

	(void)arg;
	if (span_is(r->path, "/health"))
		httpd_reply(x, 200, &json, 1, span_str(health));
	else if (span_is(r->path, "/version"))
		httpd_reply(x, 200, &json, 1, span_str(version));
	else
		httpd_reply(x, 404, NULL, 0, span_str("404 page not found\n"));
}

/* The value of a flag, -name or --name, = or a word of its own; the last. */
static const char *
flag(int argc, char **argv, const char *name)
{
	const char *value = NULL;
	size_t n = strlen(name);

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (*word != '-')
			continue;
		word += word[1] == '-' ? 2 : 1;
		if (strncmp(word, name, n) != 0)
			continue;
		if (word[n] == '=')
			value = word + n + 1;
		else if (word[n] == '\0')
			value = i + 1 < argc ? argv[i + 1] : "";
	}
	return value;
}

static struct httpd *
listen_at(struct loop *l, struct span url, struct err *err)
{
	const struct httpd_handler handler = {.on_request = serve};
	struct buf address = BUF_INIT;
	struct httpd *h = NULL;

	if (span_take(&url, "http://")) {
		buf_addspan(&address, span_cut(&url, '/'));
		h = httpd_new(l, buf_str(&address), NULL, &httpd_default_limits,
		    &handler, err);
	} else
		err_set(err, ERR_PERMANENT,
		    "flag --listen-client-urls: \"%.*s\" does not begin with "
		    "http://",
		    SPAN_ARG(url));
	buf_release(&address);
	return h;
}

static void
stop(void *loop, int signo)
{
	(void)signo;
	loop_stop(loop);
}

static int
run(const char *urls, struct err *err)
{
	struct httpd *servers[URLS_MAX];
	struct loop *l = loop_new();
	struct span rest = span_str(urls);
	size_t n = 0;
	int rc = 0;

	loop_signal(l, SIGTERM, stop, l);
	loop_signal(l, SIGINT, stop, l);
	while (rc == 0 && rest.p != NULL) {
		struct span url = span_cut(&rest, ',');

		if (n == COUNT(servers))
			rc = err_set(err, ERR_PERMANENT,
			    "flag --listen-client-urls: more than %d",
			    URLS_MAX);
		else if ((servers[n] = listen_at(l, url, err)) == NULL)
			rc = -1;
		else
			n++;
	}
	if (rc == 0)
		loop_run(l);
	while (n > 0)
		httpd_free(servers[--n]);
	loop_free(l);
	return rc;
}

int
etcd_run(int argc, char **argv)
{
	const char *urls = flag(argc, argv, "listen-client-urls");
	struct err err = ERR_INIT;
	const char *text = NULL;

	log_init("etcd", LOG_TEXT, LOG_INFO);
	signal(SIGPIPE, SIG_IGN);
	if (flag(argc, argv, "help") != NULL || flag(argc, argv, "h") != NULL)
		text = help;
	else if (flag(argc, argv, "version") != NULL)
		text = "etcd Version: 3.6.0\n";
	if (text != NULL)
		return fputs(text, stdout) < 0 || fflush(stdout) != 0
		    ? EXIT_TRANSIENT
		    : 0;
	if (run(urls != NULL ? urls : "http://localhost:2379", &err) == 0)
		return 0;
	return opt_fatal(&err);
}
