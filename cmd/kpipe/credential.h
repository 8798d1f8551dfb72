/*
 * credential: the credential of each tool that talks to the API server: that of
 * the common options, or its own.
 *
 * A tool gets its own credential and no other: with a kubeconfig of its own it
 * gets neither the common one, nor the common context and token file; with a
 * token file of its own, not the common one. The server (--server,
 * --certificate-authority) is the same for all. The context is the one that
 * is current when kpipe starts, for all generations of stages.
 */
#ifndef CREDENTIAL_H
#define CREDENTIAL_H

#include "base/err.h"
#include "process/opt.h"
#include "child/stage.h"

/* --kwatch-kubeconfig, --kwatch-token-file, ... */
extern const struct opt credential_table[];

/* Refuses an option for a tool that does not run, or sends no requests: -1 with
 * err. */
int credential_check(bool elects, bool reviews, struct err *err);

/* Appends the options of the credential for this tool. */
void credential_pass(struct stage *s);

#endif
