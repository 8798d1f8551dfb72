/*
 * dnsname: the shapes of names in lower case (RFC 1123). How long they may be
 * is up to the caller: 63 and 253 bytes where the API server decides.
 */
#ifndef DNSNAME_H
#define DNSNAME_H

#include <stdbool.h>

#include "base/span.h"

enum { DNSNAME_LABEL_MAX = 63, DNSNAME_SUBDOMAIN_MAX = 253 };

/* "my-name", "123-abc" */
bool dnsname_is_label(struct span s);
/* Labels with dots between them. */
bool dnsname_is_subdomain(struct span s);

#endif
