/*
 * document: an answer that is made once and given many times: discovery and
 * OpenAPI. It is made again when the registry has changed.
 */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/text.h"
#include "request/request.h"

struct document {
	struct text *text;	  /* NULL: not made yet; owned */
	unsigned long generation; /* the registry's, when it was made */
	char etag[67];		  /* quoted; a digest of the text */
};

/* Whether text is there and still true. */
bool document_fresh(const struct document *d, const struct registry *g);
/* Takes the content of b as the text. */
void document_set(struct document *d, const struct registry *g, struct buf *b);
void document_release(struct document *d);

/*
 * 200 with the text, or 304 if the client has it. cache_control NULL: the
 * usual one. As curl asks for it, the text is indented if pretty.
 */
struct document_reply {
	const char *content_type, *cache_control;
	struct span expires; /* or none */
	bool pretty;
};
void document_reply(struct request *r, const struct document *d,
    const struct document_reply *how);

/*
 * GET /: the list of paths that are served, besides those of objects.
 * Source: apiserver/pkg/server/routes/index.go, a recorded answer.
 */
/* True: the path is / or /index.html, and r was answered. */
bool document_serve_root(struct request *r);

/*
 * Serves /version, /healthz, /livez, /readyz and the paths below them.
 */
/* True: the path is one of these, and r was answered. */
bool document_serve_livez(struct request *r);

/*
 * The discovery document of the issuer of service account tokens, and its keys:
 * other systems verify tokens with them. Source: OpenID Connect Discovery 1.0,
 * RFC 7517; pkg/serviceaccount/openidmetadata.go and
 * pkg/routes/openidmetadata.go.
 */
/* Serves /.well-known/openid-configuration and /openid/v1/jwks; false: the
 * path is another one. */
bool document_serve_openid(struct request *r);

/*
 * openapi.c: the shapes of everything that is served, for clients: /openapi/v3
 * (an index), /openapi/v3/apis/GROUP/VERSION and /openapi/v2 (JSON), made from
 * the tables and the CRDs. Built-in types have no descriptions. Of the paths,
 * there is what clients look for: actions, kinds, the parameters of writes.
 */
/* The documents that were asked for, kept in struct api. NULL is fine. */
struct openapi;
void openapi_free(struct openapi *o);
/* True if the path is one of these: r was answered and freed. */
bool openapi_serve(struct request *r);

#endif
