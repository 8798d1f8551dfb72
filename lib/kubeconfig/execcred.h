/*
 * execcred: the credential that a plugin prints (client-go's exec plugins,
 * client.authentication.k8s.io/v1 and v1beta1). Used only by auth, whose
 * functions of the same names have the same meaning.
 */
#ifndef EXECCRED_H
#define EXECCRED_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "kubeconfig/auth.h"

struct execcred;

/* Borrows c and ca (PEM, for provideClusterInfo; may be empty and change). */
struct execcred *execcred_new(struct loop *l, const struct kubeconfig *c,
    const struct buf *ca, loop_fn *changed, void *arg);
void execcred_free(struct execcred *e);

enum auth_state execcred_ready(struct execcred *e, struct err *err);
const char *execcred_token(const struct execcred *e); /* NULL: none */
void execcred_certificate(
    const struct execcred *e, struct span *cert, struct span *key);
unsigned execcred_version(const struct execcred *e);
unsigned execcred_tls_version(const struct execcred *e);
bool execcred_refused(struct execcred *e);

#endif
