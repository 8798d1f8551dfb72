/*
 * pem: checks certificates and keys before they are used.
 */
#ifndef PEM_H
#define PEM_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

/* Each takes PEM text. On error: permanent, a sentence without the name of
 * the file, for err_prefix. */

/* At least one certificate. */
int pem_check_certificates(struct span pem, struct err *err);
/* The first certificate and its key belong together, and the certificate is
 * not expired (the message says when it did). */
int pem_check_pair(struct span cert, struct span key, struct err *err);

#endif
