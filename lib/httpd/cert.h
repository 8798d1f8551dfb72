/*
 * cert: a certificate made at the start, for this process alone: EC P-256,
 * signed by its own key, so that it is its own authority in the kubeconfig.
 */
#ifndef CERT_H
#define CERT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* PEM of both, appended. The name is the tool's. Valid for localhost,
 * 127.0.0.1, ::1 and host (a name or an address; SPAN_NONE: none). The caller
 * clears key. */
int cert_make(const char *name, struct span host, struct buf *certificate,
    struct buf *key, struct err *err);

#endif
