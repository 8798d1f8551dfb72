/*
 * credential: the credential of each tool that talks to the API server: that of
 * the common options, or its own.
 *
 * A tool gets what is for it and nothing of another: with a kubeconfig of its
 * own it is told neither the common one, nor the common context and token file;
 * with a token file of its own, not the common one. Which server that is
 * (--server, --certificate-authority) is the same for all.
 */
#ifndef CREDENTIAL_H
#define CREDENTIAL_H

#include "base/err.h"
#include "process/opt.h"
#include "stage.h"

/* --kwatch-kubeconfig, --kwatch-token-file, ... */
extern const struct opt credential_table[];

/* Whether one of these options names a tool that does not run, or would not
 * ask: -1 with err. */
int credential_check(bool elects, bool reviews, struct err *err);

/* Appends the options of the credential for this tool. */
void credential_pass(struct stage *s);

#endif
