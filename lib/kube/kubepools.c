#include "kube/kubepools.h"

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
kube_pools_init(struct kube_pools *p, struct loop *l,
    const struct kubeconfig *config, struct auth *auth, const char *tool)
{
	*p = (struct kube_pools){.loop = l,
	    .config = config,
	    .auth = auth,
	    .user_agent = make_user_agent(tool)};
}

void
kube_pools_release(struct kube_pools *p)
{
	http_free(p->http[0]);
	http_free(p->http[KUBE_POOL_STREAMS]);
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
	struct kube_pools *p = arg;
	struct textlist headers;
	struct buf url = BUF_INIT;
	struct http_request r = {
	    .method = "GET", .timeout_ms = PROBE_TIMEOUT_MS, .probe = true};

	if (p->http[KUBE_POOL_STREAMS] == NULL ||
	    auth_ready(p->auth, NULL) != AUTH_READY)
		return;
	textlist_init(&headers);
	/* An anonymous request would make the server close the connection. */
	auth_headers(p->auth, &headers);
	buf_addf(&url, "%s/livez", p->config->server);
	r.url = buf_str(&url);
	r.headers = (const char *const *)headers.items;
	http_start(p->http[KUBE_POOL_STREAMS], &r, on_probe_done, p);
	buf_release(&url);
	textlist_release(&headers);
}

struct http *
kube_pools_get(struct kube_pools *p, enum kube_pool which)
{
	struct http_opts o = {
	    .user_agent = p->user_agent, .proxy = p->config->proxy_url};

	if (auth_tls_version(p->auth) != p->tls_version) {
		for (size_t j = 0; j < 2; j++) {
			if (p->http[j] != NULL)
				http_retire(p->http[j]);
			p->http[j] = NULL;
		}
		p->tls_version = auth_tls_version(p->auth);
	}
	if (p->http[which] == NULL) {
		auth_tls(p->auth, &o.tls);
		if (which == KUBE_POOL_STREAMS) {
			o.on_silence = on_silence;
			o.arg = p;
			o.silent_ms = SILENT_MS;
		}
		p->http[which] = http_new(p->loop, &o);
	}
	return p->http[which];
}
