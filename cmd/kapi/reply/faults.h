/*
 * faults: what shall go wrong, for tests: a plan of JSON lines, each with what
 * it matches, how often, and what happens then. Given by --faults FILE, or at
 * run time: POST /kapi/faults adds lines, GET shows what is left of the plan
 * and what waits for POST /kapi/continue, DELETE forgets the plan. The first line that matches a request takes it.
 *
 *	{"verb":"update","resource":"pods","name":"web-*","code":409}
 *	{"nth":7,"fault":"cut"}
 *
 * kapi(1) has the list of members. What calls in here:
 *
 *	router_serve: faults_serve (before all else), faults_before
 *	reply_*: faults_answer_waits, faults_wait, faults_answer
 *	list: request.stale
 *	watch: faults_gate, then fault_gate_send instead of httpd_send
 */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "base/text.h"
#include "process/loop.h"

struct api;
struct faults;
struct fault_gate;
struct problem;
struct request;

struct faults *faults_new(struct api *api); /* an empty plan */
void faults_free(struct faults *f);
/* Adds the plan of a file, or all of these lines or none. -1: err names the
 * file (or "plan"), the line and the member. */
int faults_load(struct faults *f, const char *file, struct err *err);

void faults_forget(struct faults *f); /* all lines */

/* /kapi/faults, /kapi/continue: answers and frees r, true. Not journalled. */
bool faults_serve(struct request *r);

/*
 * The request is known (verb, resource, name, user) and nothing was done yet.
 * true: it was answered, cut, or comes back later through go_on(r); false: go
 * on. Sets r->fault when a line matched.
 */
bool faults_before(struct request *r, void (*go_on)(struct request *r));

/*
 * The work is done and an answer with this code is about to go out. true: the
 * plan sent another one, or cut the connection, and r is freed; the caller
 * returns as after an answer.
 */
bool faults_answer(struct request *r, int code);

/*
 * The work is done, and the plan holds the answer back: faults_wait, which
 * calls then(arg) when POST /kapi/continue says so; arg is in the arena of r.
 * If the client goes meanwhile, r is written down and freed.
 */
bool faults_answer_waits(const struct request *r);
void faults_wait(struct request *r, int code, loop_fn *then, void *arg);

/*
 * A watch whose events are tampered with; NULL: send by httpd_send. Owned by
 * the caller, freed before its exchange ends. on_end is called when the gate
 * ended the exchange by itself, between two sends: as the watch's own
 * on_close; it frees the gate, too.
 */
struct fault_gate *faults_gate(struct request *r, loop_fn *on_end, void *arg);
/* Sends an event like httpd_send. -1: the exchange is gone, on_close not
 * called. */
int fault_gate_send(struct fault_gate *g, struct text *event);
void fault_gate_free(struct fault_gate *g); /* NULL is fine */

#endif
