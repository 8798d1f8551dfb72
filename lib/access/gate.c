#include "access/gate.h"

#include "kube/kube.h"
#include "process/log.h"

int
gate_open(
    struct gate *g, struct loop *l, const struct gate_opts *o, struct err *err)
{
	g->certificate = (struct certificate){.loop = l,
	    .tool = o->tool,
	    .dir = o->cert_path,
	    .option = o->cert_option};
	g->kube = kube_open(l, &kube_opts, o->tool, err);
	if (g->kube == NULL)
		return -1;
	g->review = review_new(l, g->kube, o->path);
	if (certificate_load(&g->certificate, &g->pem, &g->key, err) != 0)
		return -1;
	g->tls = (struct httpd_tls){
	    .certificate = buf_span(&g->pem), .key = buf_span(&g->key)};
	return 0;
}

static void
forget_key(struct gate *g)
{
	buf_wipe(&g->key);
	buf_release(&g->pem);
	g->tls = (struct httpd_tls){.key = SPAN_NONE};
}

void
gate_watch(struct gate *g, struct httpd *h)
{
	forget_key(g);
	certificate_watch(&g->certificate, h);
}

void
gate_release(struct gate *g)
{
	forget_key(g);
	certificate_release(&g->certificate);
	review_free(g->review);
	kube_free(g->kube);
}

int
gate_sandbox(const struct gate *g, const struct sandbox_rule *const *serves,
    const struct sandbox_rule *const *asks, struct err *err)
{
	enum sandbox_mode mode = (enum sandbox_mode)sandbox_opt;
	enum sandbox_result result;
	bool kube = g->kube != NULL;

	if (kube && kube_runs_plugin(g->kube) && mode != SANDBOX_UNWANTED) {
		/* A plugin is a program, which no sandbox would let run. */
		err_set(err, ERR_PERMANENT,
		    "there is no sandbox: the credential comes from an exec "
		    "plugin, which it would not let run; a token file needs "
		    "none");
		if (mode == SANDBOX_REQUIRED)
			return err_prefix(err, "option --sandbox=required");
		result = SANDBOX_NONE;
	} else {
		result = sandbox_enter(kube ? asks : serves, mode, err);
	}
	if (result == SANDBOX_NONE) {
		log_warning("%s", err->message);
		*err = (struct err)ERR_INIT;
	}
	return result == SANDBOX_FAILED ? -1 : 0;
}
