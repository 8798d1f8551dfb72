/*
 * certificate: that of a gate: tls.crt and tls.key of a folder, read
 * again when they change (a renewal replaces the files), or, without
 * a folder, one made at the start.
 */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "httpd/httpd.h"
#include "process/loop.h"

struct certificate {
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

/* PEM, for httpd_new; the caller clears the key. -1 with err. */
int certificate_load(
    struct certificate *c, struct buf *pem, struct buf *key, struct err *err);
/* From now on h gets each new certificate. */
void certificate_watch(struct certificate *c, struct httpd *h);
void certificate_release(struct certificate *c);

#endif
