/*
 * auth: who we are: credentials that change while we run.
 *
 * Token files are read again after 50 s, certificate files after 5 min (or when
 * auth_refused or auth_untrusted say so); a
 * plugin runs again when its credential has expired or was refused. If a file
 * can no longer be read, its old content is used. Over http:// no credential is
 * sent. Facts: client-go's transport and exec packages.
 */
#ifndef AUTH_H
#define AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/textlist.h"
#include "http/http.h"
#include "kubeconfig/kubeconfig.h"
#include "process/loop.h"

struct auth;

/*
 * Borrows c. changed is called from the loop after auth_ready said AUTH_WAIT.
 * NULL with err: permanent, names the file.
 */
struct auth *auth_new(struct loop *l, const struct kubeconfig *c,
    loop_fn *changed, void *arg, struct err *err);
void auth_free(struct auth *a);

/* Call it before each request. AUTH_WAIT: call it again when changed was
 * called. */
enum auth_state { AUTH_READY, AUTH_WAIT, AUTH_FAILED };
enum auth_state auth_ready(struct auth *a, struct err *err);

/* When AUTH_READY: adds Authorization and impersonation headers. */
void auth_headers(const struct auth *a, struct textlist *headers);
/*
 * Removes the credential from a server's text (owned or NULL; may be replaced):
 * proxies quote requests that they refuse, and such texts get into logs, Events
 * and statuses.
 */
void auth_hide(const struct auth *a, char **text);
/* Certificates, borrowed until auth_tls_version is another. */
void auth_tls(const struct auth *a, struct http_tls *tls);
unsigned auth_tls_version(const struct auth *a);

/* Whether a program gives the credential. */
bool auth_runs_plugin(const struct auth *a);
/* The version of the credential that auth_headers gives. */
unsigned auth_version(const struct auth *a);
/* Appends the user of the credential, for messages; nothing if there is
 * none. */
void auth_describe(const struct auth *a, struct buf *b);
/* The server refused (401) the credential of that version. True: there may be
 * another: ask auth_ready and repeat the request once. */
bool auth_refused(struct auth *a, unsigned version);
/* The server's certificate is not trusted: auth_ready reads the file of the
 * certificate authority again, which may have changed with the server's. */
void auth_untrusted(struct auth *a);

#endif
