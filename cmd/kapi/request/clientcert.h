/*
 * clientcert: the user that a client's certificate names: its common name, the
 * organizations are the groups. The certificate itself is checked by
 * lib/httpd (peer.h).
 * Source: CommonNameUserConversion of k8s.io/apiserver
 * pkg/authentication/request/x509.
 */
#ifndef CLIENTCERT_H
#define CLIENTCERT_H

#include <stdbool.h>

struct request;
struct user;

/* In the arena of the request. NULL: its client has no certificate that
 * counts, and another credential decides. */
const struct user *clientcert_user(struct request *r);

/* Whether it has one that is not valid. One that names nobody is. */
bool clientcert_refused(const struct request *r);

#endif
