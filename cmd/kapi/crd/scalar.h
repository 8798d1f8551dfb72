/*
 * scalar: the rules that concern a value alone.
 */
#ifndef SCALAR_H
#define SCALAR_H

#include "crd/findings.h"

void scalar_check_null(struct findings *out, const struct findings_at *at);
void scalar_check_type(struct findings *out, const struct findings_at *at);
void scalar_check_string(struct findings *out, const struct findings_at *at);
void scalar_check_number(struct findings *out, const struct findings_at *at);
void scalar_check_enum(struct findings *out, const struct findings_at *at);

#endif
