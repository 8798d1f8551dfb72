/*
 * peer: who the other end of a TLS connection is, by its certificate. A server
 * with authorities asks for one and takes any, or none: whether it is worth
 * something is checked here, so that a bad one can be answered with a status
 * and not by a broken connection.
 *
 * A certificate counts if a chain leads from it to an authority of the file
 * (any certificate in it, also one that another has signed), none of the chain
 * is out of date, and none has extended key usages without that of clients.
 * Source: crypto/tls RequestClientCert and crypto/x509 Verify of Go, as
 * k8s.io/apiserver/pkg/authentication/request/x509 uses them.
 */
#ifndef PEER_H
#define PEER_H

#include "base/err.h"
#include "base/span.h"
#include "httpd/httpd.h"

struct ssl_st;
struct ssl_ctx_st;

/* Makes the server ask for certificates of these authorities (PEM). */
int peer_ask(struct ssl_ctx_st *ctx, struct span authorities, struct err *err);

/* NULL: it has shown none. Owned by the caller. */
struct httpd_peer *peer_new(struct ssl_st *ssl);
void peer_free(struct httpd_peer *p);

#endif
