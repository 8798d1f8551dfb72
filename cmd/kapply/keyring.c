#include "keyring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <openssl/crypto.h>

#include "base/mem.h"
#include "json/json.h"
#include "kube/kubepath.h"
#include "process/file.h"
#include "process/log.h"
#include "value/base64.h"
#include "value/digest.h"

enum { FIRST_MS = 500, MAX_MS = 15000 };

struct keyring {
	struct apply *apply; /* borrowed */
	struct proof *proof; /* apply's, which is filled */
	struct kube *kube;
	char *namespace_, *name, *path, *list; /* owned */
	struct timer timer;
	struct kube_backoff backoff;
	bool has;  /* proof has the key */
	bool said; /* the fault is logged */
};

static void ask(void *arg);

static void
ask_again(struct keyring *r, uint64_t ms)
{
	if (ms > 0)
		loop_after(r->apply->w.loop, &r->timer, ms, ask, r);
}

/* Reports why the Secret is not as it has to be. NULL: it is right again. */
static void
trouble(struct keyring *r, const char *text)
{
	if (text != NULL && !r->said)
		log_error("%s", text);
	else if (text == NULL && r->said)
		log_info("Secret %s/%s has the key that proves marks",
		    r->namespace_, r->name);
	r->said = text != NULL;
	reportfd_unready(&r->apply->w.report, "key of marks", text);
	ask_again(r, r->apply->o->marks_key_check_ms);
}

/*
 * Rights and namespaces may still come: so it goes on trying, except in a dry
 * run, which has to end, and after our own errors.
 */
static void
failed(struct keyring *r, const char *verb, const struct kube_error *e)
{
	bool passing = e->kind == ERR_TRANSIENT || e->kind == ERR_CONFLICT;
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	kube_error_public(&b, e, span_str("Secret"));
	err_set(&err, ERR_PERMANENT,
	    "cannot %s Secret %s/%s, which has the key that proves marks: "
	    "%s%s",
	    verb, r->namespace_, r->name, buf_str(&b),
	    passing
		? ""
		: "; give the right to get it and to create secrets there, or "
		  "the key in a file (kpipe --marks-key-file)");
	buf_release(&b);
	if (r->has && passing) {
		/* A failure that passes is logged by other parts. */
		ask_again(r, r->apply->o->marks_key_check_ms);
	} else if (r->has) {
		trouble(r, err.message);
	} else if (!passing && (writer_opts.dry_run || e->code == 0)) {
		writer_fail(&r->apply->w, &err);
	} else {
		if (!r->said)
			log_write(passing ? LOG_WARNING : LOG_ERROR, NULL,
			    "%s; trying again", err.message);
		r->said = true;
		reportfd_unready(
		    &r->apply->w.report, "key of marks", err.message);
		ask_again(r, kube_backoff_next(&r->backoff, FIRST_MS, MAX_MS));
	}
}

static bool
has_our_key(const struct keyring *r, const struct proof *there)
{
	struct span ours = r->proof->keys[0];
	bool has = false;

	for (size_t i = 0; i < there->count; i++)
		has = has ||
		    (there->keys[i].n == ours.n &&
			CRYPTO_memcmp(there->keys[i].p, ours.p, ours.n) == 0);
	return has;
}

/* The Secret has this text now. */
static void
compare(struct keyring *r, struct span text)
{
	struct proof there = {0};
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	if (proof_parse(&there, text, "its keys", &err) == 0 &&
	    has_our_key(r, &there)) {
		trouble(r, NULL);
	} else {
		buf_addf(&b,
		    "Secret %s/%s has another key than the one that proves "
		    "marks since the start",
		    r->namespace_, r->name);
		if (there.count == 0)
			buf_addf(&b, " (%s)", err.message);
		buf_adds(&b,
		    ": after a restart they would prove nothing; put the key "
		    "back, or delete the Secret, and it is made again");
		trouble(r, buf_str(&b));
	}
	proof_release(&there);
	buf_release(&b);
}

/* The text of the Secret, for the first time. The process that waits for the key
 * at --marks-key-out-fd reads until end of file. */
static void
take_first(struct keyring *r, struct span text)
{
	int fd = (int)r->apply->o->marks_key_out_fd;
	struct writer *w = &r->apply->w;
	struct buf what = BUF_INIT;
	struct err err = ERR_INIT;

	buf_addf(&what, "Secret %s/%s, keys", r->namespace_, r->name);
	r->has = proof_parse(r->proof, text, buf_str(&what), &err) == 0;
	buf_release(&what);
	r->said = false;
	reportfd_unready(&r->apply->w.report, "key of marks", NULL);
	if (r->has && !writer_opts.dry_run)
		ask_again(r, r->apply->o->marks_key_check_ms);
	if (r->has && fd >= 0) {
		if (file_write(fd, buf_span(&r->proof->text)) != 0)
			err_set(&err, ERR_TRANSIENT,
			    "option --marks-key-out-fd: %s",
			    errno == EPIPE ? "who was to read the key has ended"
					   : strerror(errno));
		close(fd);
	}
	if (err.kind != ERR_NONE) {
		writer_fail(w, &err);
		return;
	}
	w->waits = false;
	writer_check_ready(w);
}

static void
take(struct keyring *r, struct span text)
{
	r->backoff = (struct kube_backoff){0};
	if (r->has)
		compare(r, text);
	else
		take_first(r, text);
}

static void
take_secret(struct keyring *r, struct span secret)
{
	struct span data =
	    json_raw_string(json_get(json_get(secret, "data"), "keys"));
	struct buf text = BUF_INIT;

	buf_reserve(&text, data.n + 1);
	/* Bad base64 leaves the text empty, which is reported. */
	base64_decode(data, BASE64_BLANKS, &text, NULL);
	take(r, buf_span(&text));
	if (text.data != NULL)
		OPENSSL_cleanse(text.data, text.cap);
	buf_release(&text);
}

static void
created(void *arg, const struct kube_answer *a)
{
	struct keyring *r = arg;

	if (a->error.kind == ERR_NONE) {
		log_write(r->has ? LOG_WARNING : LOG_INFO, NULL,
		    "made Secret %s/%s%s: the key that proves marks",
		    r->namespace_, r->name, r->has ? " again" : "");
		take_secret(r, a->body);
	} else if (a->code == 409) {
		/* Another process was faster; or the answer before was wrong. */
		ask_again(r, kube_backoff_next(&r->backoff, FIRST_MS, MAX_MS));
	} else {
		failed(r, "create", &a->error);
	}
}

static void
create(struct keyring *r)
{
	struct buf key = BUF_INIT, body = BUF_INIT;
	struct err err = ERR_INIT;

	buf_reserve(&key, 128 + r->proof->text.len);
	if (r->has)
		buf_addspan(&key, buf_span(&r->proof->text));
	if (!r->has && proof_make_key(&key, &err) != 0) {
		writer_fail(&r->apply->w, &err);
	} else if (writer_opts.dry_run) {
		/* A key is made up, and kept to us. */
		take(r, buf_span(&key));
	} else {
		buf_reserve(&body, 1024 + 2 * key.len);
		buf_adds(&body,
		    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\","
		    "\"type\":\"Opaque\",\"metadata\":{\"name\":");
		json_add_str(&body, r->name);
		buf_adds(&body, "},\"data\":{\"keys\":\"");
		base64_add(&body, buf_span(&key));
		buf_adds(&body, "\"}}");
		kube_start(r->kube,
		    &(struct kube_request){.verb = KUBE_CREATE,
			.path = r->list,
			.body = buf_span(&body)},
		    created, r);
		OPENSSL_cleanse(body.data, body.cap);
	}
	OPENSSL_cleanse(key.data, key.cap);
	buf_release(&key);
	buf_release(&body);
}

static void
got(void *arg, const struct kube_answer *a)
{
	struct keyring *r = arg;

	if (a->error.kind == ERR_NONE)
		take_secret(r, a->body);
	else if (a->code == 404 && a->error.reason[0] != '\0')
		create(r);
	else
		failed(r, "get", &a->error);
}

static void
ask(void *arg)
{
	struct keyring *r = arg;

	kube_start(r->kube,
	    &(struct kube_request){.verb = KUBE_GET, .path = r->path}, got, r);
}

int
keyring_open(struct keyring **open, struct apply *a, struct err *err)
{
	const char *secret = a->o->marks_key_secret;
	int fd = (int)a->o->marks_key_fd;
	const char *pod = getenv("POD_NAMESPACE"), *slash;
	struct buf path = BUF_INIT;
	struct keyring *r;
	struct kube *kube;

	a->proof.accept_unproven = a->o->accept_unproven;
	if (secret == NULL) {
		if (fd >= 0 && proof_read(&a->proof, fd, err) != 0)
			return -1;
		if (fd >= 0)
			close(fd);
		return 0;
	}
	kube = kube_open(a->w.loop, &kube_opts, "kapply", err);
	if (kube == NULL)
		return -1;
	*open = r = mem_zalloc(sizeof(*r));
	r->apply = a;
	r->proof = &a->proof;
	r->kube = kube;
	a->w.waits = true;
	if (pod == NULL || *pod == '\0')
		pod = kube_namespace(kube);
	slash = strchr(secret, '/');
	r->namespace_ = slash != NULL
	    ? mem_dup(secret, (size_t)(slash - secret))
	    : mem_strdup(pod);
	r->name = mem_strdup(slash != NULL ? slash + 1 : secret);
	buf_adds(&path, "/api/v1/namespaces");
	kube_path_add(&path, span_str(r->namespace_));
	kube_path_add(&path, span_str("secrets"));
	r->list = mem_strdup(buf_str(&path));
	kube_path_add(&path, span_str(r->name));
	r->path = buf_take(&path);
	ask(r);
	return 0;
}

void
keyring_free(struct keyring *r)
{
	if (r == NULL)
		return;
	loop_cancel(r->apply->w.loop, &r->timer);
	kube_free(r->kube);
	free(r->namespace_);
	free(r->name);
	free(r->path);
	free(r->list);
	free(r);
}
