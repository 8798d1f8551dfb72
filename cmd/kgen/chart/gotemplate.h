/*
 * gotemplate: a file of Go's text/template, parsed.
 *
 * The tree is libjq's values, because the code is made of it in jq
 * (lib/jq/gen/chart/):
 *
 *	{body: LIST, defines: {NAME: {line, body: LIST}}}
 *
 * LIST has texts, and nodes {t, line, ...}:
 *
 *	print     x			if, with, range  vars, declares, x, then,
 *	set       vars, declares, x			 else
 *	template  name, x		break, continue
 *
 * vars are names of variables, without $. `changes`: x calls set or merge, which
 * change their argument; `assigns`: that, or an assignment, is anywhere in the
 * node.
 *
 * x is an expression {e, ...}:
 *
 *	dot   nil   lit v   var v ("": $)   chain of, f (fields)
 *	call  fn, args, line	method  of, f, args, line
 *
 * A pipeline is the call of its last command, with the value before it as the
 * last argument; `block` is a define and a template.
 */
#ifndef GOTEMPLATE_H
#define GOTEMPLATE_H

#include <jv.h>

#include "base/err.h"
#include "base/span.h"

enum { GOTEMPLATE_DEPTH_MAX = 100 };

/* Owned; invalid with err "NAME:LINE: what". */
jv gotemplate_parse(const char *name, struct span text, struct err *err);

#endif
