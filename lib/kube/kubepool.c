#include "kube/kubepool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/textlist.h"

enum {
	SILENT_MS = 30000,	  /* as client-go: then a sign of life, */
	PROBE_TIMEOUT_MS = 15000, /* or the connection is dead */
	WARNINGS_MAX = 1000,
};

static char *
make_user_agent(const char *tool)
{
	struct utsname u;
	const char *arch = "unknown";
	struct buf b = BUF_INIT;

	if (uname(&u) == 0)
		arch = strcmp(u.machine, "x86_64") == 0 ? "amd64"
		    : strcmp(u.machine, "aarch64") == 0 ? "arm64"
							: u.machine;
	buf_addf(&b, "%s/%s (linux/%s) kpipe", tool, KPIPE_VERSION, arch);
	return buf_take(&b);
}

void
kubepool_init(struct kubepool *p, struct loop *l,
    const struct kubeconfig *config, struct auth *auth, const char *tool)
{
	*p = (struct kubepool){.loop = l,
	    .config = config,
	    .auth = auth,
	    .user_agent = make_user_agent(tool)};
}

void
kubepool_release(struct kubepool *p)
{
	http_free(p->http);
	free(p->user_agent);
}

/* Any answer shows that the server is alive. */
static void
on_probe_done(void *arg, const struct http_response *r)
{
	(void)arg;
	(void)r;
}

static void
on_silence(void *arg)
{
	struct kubepool *p = arg;
	struct textlist headers;
	struct buf url = BUF_INIT;
	struct http_request r = {
	    .method = "GET", .timeout_ms = PROBE_TIMEOUT_MS, .probe = true};

	if (p->http == NULL || auth_ready(p->auth, NULL) != AUTH_READY)
		return;
	textlist_init(&headers);
	/* An anonymous request would make the server close the connection. */
	auth_headers(p->auth, &headers);
	buf_addf(&url, "%s/livez", p->config->server);
	r.url = buf_str(&url);
	r.headers = (const char *const *)headers.items;
	http_start(p->http, &r, on_probe_done, p);
	buf_release(&url);
	textlist_release(&headers);
}

struct http *
kubepool_get(struct kubepool *p)
{
	struct http_opts o = {.user_agent = p->user_agent,
	    .proxy = p->config->proxy_url,
	    .on_silence = on_silence,
	    .arg = p,
	    .silent_ms = SILENT_MS};

	if (p->http != NULL && auth_tls_version(p->auth) != p->tls_version) {
		http_retire(p->http);
		p->http = NULL;
	}
	if (p->http == NULL) {
		p->tls_version = auth_tls_version(p->auth);
		auth_tls(p->auth, &o.tls);
		p->http = http_new(p->loop, &o);
	}
	return p->http;
}
