/*
 * showing_calls: the system calls that kview keeps once it serves (sandbox.h).
 * It reads objects and requests of others: an attacker who takes it over can
 * open no file, start no program and make no connection. With --secure it opens
 * files to read them (certificate, token), and connections to the API server.
 */
#ifndef SHOWING_CALLS_H
#define SHOWING_CALLS_H

#include "process/sandbox.h"

extern const struct sandbox_rule *const showing_calls[];
extern const struct sandbox_rule *const showing_calls_ask[];

#endif
