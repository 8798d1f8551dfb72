#include "access/gate.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "access/access_calls.h"
#include "httpd/cert.h"
#include "kube/kube.h"
#include "process/file.h"
#include "process/log.h"

/* ---- the certificate ---- */

/* Stat and no inotify: it works on every file system, and through the links
 * by which a kubelet swaps a mounted Secret. */
enum { LOOK_MS = 2000 };

static const char *const names[] = {"tls.crt", "tls.key"};

static void
path_of(const struct gate_certificate *c, size_t i, struct buf *path)
{
	buf_reset(path);
	buf_addf(path, "%s/%s", c->dir, names[i]);
}

static void
look_at(const struct gate_certificate *c, struct stat st[2])
{
	struct buf path = BUF_INIT;

	memset(st, 0, 2 * sizeof(*st));
	for (size_t i = 0; i < 2; i++) {
		path_of(c, i, &path);
		stat(buf_str(&path), &st[i]);
	}
	buf_release(&path);
}

static bool
same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int
read_files(struct gate_certificate *c, struct buf *pem, struct buf *key,
    struct err *err)
{
	struct buf path = BUF_INIT;
	int rc;

	/* Look before reading: a change meanwhile is seen next time. */
	look_at(c, c->seen);
	path_of(c, 0, &path);
	rc = file_read(buf_str(&path), 1, pem, err);
	if (rc == 0) {
		path_of(c, 1, &path);
		rc = file_read(buf_str(&path), 1, key, err);
	}
	buf_release(&path);
	return rc;
}

/* PEM, for httpd_new; the caller clears the key. -1 with err. */
static int
load_certificate(struct gate_certificate *c, struct buf *pem, struct buf *key,
    struct err *err)
{
	struct httpd_tls tls;

	if (c->dir == NULL)
		return cert_make(c->tool, SPAN_NONE, pem, key, err);
	c->reads++;
	if (read_files(c, pem, key, err) == 0) {
		tls = (struct httpd_tls){
		    .certificate = buf_span(pem), .key = buf_span(key)};
		if (httpd_check_tls(&tls, err) == 0)
			return 0;
		err_prefix(err, "%s", c->dir);
	}
	c->failures++;
	return err_prefix(err, "option --%s", c->option);
}

static void
reload(struct gate_certificate *c)
{
	struct buf pem = BUF_INIT, key = BUF_INIT;
	struct err err = ERR_INIT;
	struct httpd_tls tls;
	int rc;

	c->reads++;
	rc = read_files(c, &pem, &key, &err);
	tls = (struct httpd_tls){
	    .certificate = buf_span(&pem), .key = buf_span(&key)};
	if (rc == 0 && httpd_use_tls(c->httpd, &tls, &err) != 0)
		rc = err_prefix(&err, "%s", c->dir);
	if (rc == 0) {
		log_info("%s: a new certificate is used", c->dir);
		free(c->complaint);
		c->complaint = NULL;
	} else {
		c->failures++;
		if (c->complaint == NULL ||
		    strcmp(c->complaint, err.message) != 0)
			log_error(
			    "%s: the former certificate stays", err.message);
		free(c->complaint);
		c->complaint = mem_strdup(err.message);
	}
	buf_wipe(&key);
	buf_release(&pem);
}

static void
look(void *arg)
{
	struct gate_certificate *c = arg;
	struct stat now[2];

	look_at(c, now);
	if (!same(&now[0], &c->seen[0]) || !same(&now[1], &c->seen[1]))
		reload(c);
	loop_after(c->loop, &c->look, LOOK_MS, look, c);
}

/* ---- the gate ---- */

int
gate_open(
    struct gate *g, struct loop *l, const struct gate_opts *o, struct err *err)
{
	g->certificate = (struct gate_certificate){.loop = l,
	    .tool = o->tool,
	    .dir = o->cert_path,
	    .option = o->cert_option};
	g->kube = kube_open(l, &kube_opts, o->tool, err);
	if (g->kube == NULL)
		return -1;
	g->review = review_new(l, g->kube, o->path);
	if (load_certificate(&g->certificate, &g->pem, &g->key, err) != 0)
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
	struct gate_certificate *c = &g->certificate;

	forget_key(g);
	c->httpd = h;
	if (c->dir != NULL)
		loop_after(c->loop, &c->look, LOOK_MS, look, c);
}

void
gate_release(struct gate *g)
{
	forget_key(g);
	if (g->certificate.loop != NULL)
		loop_cancel(g->certificate.loop, &g->certificate.look);
	free(g->certificate.complaint);
	review_free(g->review);
	kube_free(g->kube);
}

int
gate_sandbox(const struct gate *g, const struct sandbox_rule *const *serves,
    struct err *err)
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
		result = sandbox_enter(kube ? access_asks : serves, mode, err);
	}
	if (result == SANDBOX_NONE) {
		log_warning("%s", err->message);
		*err = (struct err)ERR_INIT;
	}
	return result == SANDBOX_FAILED ? -1 : 0;
}
