/*
 * gate: an address that is not for this machine alone: TLS, with a certificate
 * of a folder or one made at the start, and the API server's word about who may
 * read a path (review.h).
 */
#ifndef GATE_H
#define GATE_H

#include <sys/stat.h>

#include "access/review.h"
#include "base/buf.h"
#include "base/err.h"
#include "httpd/httpd.h"
#include "process/loop.h"
#include "process/sandbox.h"

/* tls.crt and tls.key of a folder, read again when they change (a renewal replaces
 * the files), or, without a folder, a certificate made at the start. */
struct gate_certificate {
	struct loop *loop;
	const char *tool;    /* borrowed: the name in one that is made */
	const char *dir;     /* borrowed; NULL: none */
	const char *option;  /* borrowed: that which gave it */
	struct httpd *httpd; /* borrowed: its user */
	struct stat seen[2]; /* the files, when they were read */
	struct timer look;
	char *complaint; /* owned: the last one */
	uint64_t reads, failures;
};

struct gate {
	struct kube *kube;
	struct review *review; /* NULL: everybody may */
	struct gate_certificate certificate;
	struct buf pem, key;
	struct httpd_tls tls; /* for httpd_new; points into both */
};

/* All borrowed, as long as the gate. */
struct gate_opts {
	const char *tool;
	const char *path;	 /* the right to get it, as "/metrics" */
	const char *cert_path;	 /* NULL: a certificate is made */
	const char *cert_option; /* the option that gives it, for messages */
};

/* Opens a zeroed gate. -1 with err. */
int gate_open(
    struct gate *g, struct loop *l, const struct gate_opts *o, struct err *err);
/* h listens: it gets each new certificate, and the key is cleared here. */
void gate_watch(struct gate *g, struct httpd *h);
void gate_release(struct gate *g);

/*
 * Only the system calls of a list are left: access_asks if the gate asks the API
 * server, else serves. A missing sandbox is logged; -1 with err if it must not
 * be missing.
 */
int gate_sandbox(const struct gate *g, const struct sandbox_rule *const *serves,
    struct err *err);

#endif
