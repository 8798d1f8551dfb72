/*
 * gate: an address that is not for this machine alone: TLS, with a certificate
 * of a folder or one made at the start, and the API server's word about who may
 * read a path (review.h).
 */
#ifndef GATE_H
#define GATE_H

#include "access/certificate.h"
#include "access/review.h"
#include "process/sandbox.h"

struct gate {
	struct kube *kube;
	struct review *review; /* NULL: everybody may */
	struct certificate certificate;
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
 * Only the system calls of a list are left: asks if the gate asks the API server,
 * else serves. A missing sandbox is logged; -1 with err if it must not be missing.
 */
int gate_sandbox(const struct gate *g, const struct sandbox_rule *const *serves,
    const struct sandbox_rule *const *asks, struct err *err);

#endif
