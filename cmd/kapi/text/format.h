/*
 * format: the formats of strings that the API server checks.
 * Source: kube-openapi/pkg/validation/strfmt,
 * apiextensions-apiserver/pkg/apiserver/validation/formats.go.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdbool.h>

#include "base/span.h"

/* Whether a value of that type ("" and "string", "integer", "number") is
 * checked against the format at all. */
bool format_known(struct span type, struct span format);
/* A string against a known format. */
bool format_matches(struct span format, struct span text);

#endif
