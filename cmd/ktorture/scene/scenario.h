/*
 * scenario: what is done to an operator, and what has to hold.
 *
 *	{"name":"life","steps":[STEP...],"rules":[RULE...],"marks":[TEXT...]}
 *
 * An author writes t/<name>.scenario, a step or a rule a line. A line that begins
 * with a blank goes on with the one before; # begins a comment at the beginning
 * of a line.
 *
 *	# Grows, and is scaled by somebody else.
 *	create example.yaml
 *	edit Memcached/example {spec: {size: 5}}
 *	edit Deployment/example -n default {spec: {replicas: 1}}
 *	expect "five replicas" any(objects("Deployment"); .spec.replicas == 5)
 *	wait 10m
 *	then delete Memcached/example
 *	always "one Deployment" objects("Deployment") | length <= 1
 *
 * Steps; each is done when nothing is under way any more, one with `then` before
 * it at once behind the one before:
 *
 *	create FILE|{OBJECT}	makes each document of the file, in their order.
 *				example.yaml: also what is made before it (opfolder.h)
 *	apply FILE|{OBJECT}	the same by server-side apply, with force
 *	recreate FILE|{OBJECT}	deletes the last document, and makes it in the
 *				moment in which it is gone
 *	edit KIND/NAME [-n NAMESPACE] {MERGE PATCH}	or a JSON patch, [...]
 *	status KIND/NAME [-n NAMESPACE] {MERGE PATCH}	of the subresource
 *	delete KIND/NAME [-n NAMESPACE]
 *	wait DURATION		as 10m, 1h30m
 *	expect "NAME" JQ	is true of the state now
 *	drift N, lose N, foreign N, unforeign N		of what the operator
 *				makes: see resolve.h; N counts from 0
 *
 * Rules:
 *
 *	always "NAME" JQ	is true of the state after each change
 *	history "NAME" JQ	is true of the changes, at the end
 *	varies KIND .PATH	the end of such objects may depend on history there;
 *				"." is all of it, whether they are there, too
 *	remembers "NAME" JQ	a state of which this is true depends on earlier
 *				specs (specplay.h)
 *	again KIND		an object of it may be made twice
 *	unready KIND		a status may say Ready without waiting for these
 *	back KIND .PATH		a status may go back there: .status.phase
 *	patience KIND DURATION	the program may put off for so long what it does
 *				to such an object
 *
 * The rules of a file without a step are those of every scenario of the folder,
 * also of those that are generated.
 *
 * KIND is one of the operator's or of Kubernetes ("Deployment", "CronJob.batch":
 * kindname.h). Objects are YAML, so JSON. JQ is a program of jq with the functions
 * of lib/jq/torture/rules.jq; its input is the state: all objects in a list, or
 * all changes, [{change, by, time, step, object}].
 *
 * A file that begins with { is one scenario as JSON, as ktorture prints it.
 *
 * Steps as JSON; "then":true is the word. An object of Kubernetes is always
 * named by apiVersion, kind, namespace (unless it is of the cluster) and name.
 *
 *	{"do":"create","object":{}}	"whenGone":true: in the moment in which no
 *					object of that name is there
 *	{"do":"apply","object":{}}
 *	{"do":"patch","apiVersion":..,"kind":..,"namespace":..,"name":..,
 *	 "patch":{}|[],"subresource":"status"}	a list is a JSON patch
 *	{"do":"delete",...}
 *	{"do":"wait","ms":600000}
 *	{"do":"expect","name":"..","jq":".."}
 *	{"do":"drift"|"lose"|"foreign"|"unforeign","index":0}
 *	{"do":"update"}		the first instance of the operator is told to end,
 *				and starts again
 *	{"do":"replace","by":"old"|"new"}	an instance of this version
 *				starts beside the one that runs, which is told to
 *				end REPLACE_MS later (instance.h)
 *	{"do":"settle"}		as at the end: time to converge, then silence, and
 *				on until 15 s before the next minute; the record
 *				gets an end here, too
 *
 * "instances":2 beside the steps: so many of the operator elect a leader
 * (instance.h). "begins":"old" or "new": there are two versions of the operator,
 * and it begins with this one.
 *
 * Rules as JSON: {"always":NAME,"jq":..}, {"history":NAME,"jq":..},
 * {"remembers":NAME,"jq":..}, {"varies":".spec.x","kind":K}, {"again":K},
 * {"unready":K}, {"back":".status.x","kind":K}, {"patience":K,"ms":10000};
 * K is the kind alone, as it stands in an object.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <jq.h>
#include <jv.h>

#include "base/err.h"
#include "base/span.h"
#include "scene/opfolder.h"

enum { SCENARIO_FILE_MAX_MIB = 1 };

/* The text of the file of that path, which is for messages and the name. Owned;
 * invalid with err "FILE:LINE: ...". */
jv scenario_parse(
    struct opfolder *f, const char *path, struct span text, struct err *err);
jv scenario_read(struct opfolder *f, const char *path, struct err *err);

/* Those of t/, by name, in a list; owned. Invalid with err. Call it before
 * scenario_defaults() and specs_load(): it sets the rules of all (f->rules), from
 * files without a step. */
jv scenario_written(struct opfolder *f, struct err *err);
/* Those that are made of the example, the schema and watches.yaml, in a list;
 * owned. Empty without an example. Invalid with err. The first one, "life",
 * shows what the operator makes: "foreign" needs that (resolve.h). */
jv scenario_defaults(const struct opfolder *f, struct err *err);

/* An expression of a step or a rule, compiled; owned: jq_teardown. NULL with
 * err. */
jq_state *scenario_expression(
    const struct opfolder *f, const char *text, struct err *err);
/* The same rules, with programs that stand alone: with the functions in front.
 * Takes rules. Invalid with err. */
jv scenario_rules(const struct opfolder *f, jv rules, struct err *err);
/* 1: true, 0: anything else; -1 with err: it is an error. Takes input. */
int scenario_holds(jq_state *jq, jv input, struct err *err);

#endif
