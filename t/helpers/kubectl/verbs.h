/*
 * verbs: what each command does. args are the words behind it.
 *
 * They return the exit code, or -1: refused.
 */
#ifndef VERBS_H
#define VERBS_H

#include "kubectl/session.h"
#include "kubectl/target.h"

typedef int verb_fn(struct session *s, struct words args);

verb_fn verb_get;

verb_fn verb_create, verb_run, verb_apply, verb_replace;

verb_fn verb_patch, verb_label, verb_annotate, verb_scale, verb_set_image;

verb_fn verb_delete, verb_wait, verb_rollout;

verb_fn verb_auth;
int verb_create_token(struct session *s, const char *account);

#endif
