/*
 * openid: what others need to verify tokens of service accounts: the discovery
 * document of their issuer and the keys. Source: OpenID Connect Discovery 1.0,
 * RFC 7517; pkg/serviceaccount/openidmetadata.go and
 * pkg/routes/openidmetadata.go.
 */
#ifndef OPENID_H
#define OPENID_H

#include <stdbool.h>

#include "request/request.h"

/* Serves /.well-known/openid-configuration and /openid/v1/jwks; false: the
 * path is another one. */
bool openid_serve(struct request *r);

#endif
