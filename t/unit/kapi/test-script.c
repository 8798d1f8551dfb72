/* script: what the annotations of a Pod say of its containers. */
#include "kubelet/script.h"

#include "base/array.h"
#include "trees.h"

static struct node *
pod(const char *annotations)
{
	struct span text = arena_printf(
	    &arena, "{\"metadata\":{\"annotations\":%s}}", annotations);

	return parse_span(text);
}

#define P "playground.kpipe.dev/"

static void
text_is(const char *annotations, const char *container, const char *want)
{
	struct span s =
	    script_text(&arena, pod(annotations), "logs", span_str(container));

	is(s.p == NULL ? "(none)" : arena_str(&arena, s), want, annotations);
}

TEST(texts)
{
	text_is("{}", "a", "(none)");
	text_is("null", "a", "(none)");
	text_is("{\"" P "logs\":\"x\"}", "a", "x");
	text_is("{\"" P "logs\":\"x\"}", NULL, "x");
	text_is("{\"" P "logs\":\"\"}", "a", "");
	text_is("{\"" P "logs.a\":\"y\",\"" P "logs\":\"x\"}", "a", "y");
	text_is("{\"" P "logs.a\":\"y\",\"" P "logs\":\"x\"}", "b", "x");
	text_is("{\"" P "logs.a\":\"y\"}", "b", "(none)");
}

/* ---- exec ---- */

/* "OUT ERR CODE MS ECHO", "none", or the error. */
static const char *
run_text(
    enum script_found found, const struct script_run *r, const struct err *err)
{
	if (found == SCRIPT_NONE)
		return "none";
	if (found == SCRIPT_BAD)
		return err->message;
	return arena_printf(&arena, "%.*s %.*s %d %d%s", SPAN_ARG(r->out),
	    SPAN_ARG(r->err), (int)r->exit_code, (int)r->ms,
	    r->echo ? " echo" : "")
	    .p;
}

static void
exec_is(const char *rules, const char *words, const char *want)
{
	struct node *tree = pod("{}");
	struct span command[8], rest = span_str(words);
	struct script_run run;
	struct err err = ERR_INIT;
	enum script_found found;
	size_t n = 0;

	while (rest.n > 0)
		command[n++] = span_cut(&rest, ' ');
	tree_put(&arena, tree_path(tree, "metadata.annotations"), P "exec",
	    tree_str(&arena, rules));
	found =
	    script_exec(&arena, tree, span_str("a"), command, n, &run, &err);
	is(run_text(found, &run, &err), want, rules);
}

TEST(exec)
{
	exec_is("[]", "ls", "none");
	exec_is("[{command: [ls], stdout: o}]", "ls", "o  0 0");
	exec_is("[{command: [ls], stdout: o}]", "ls -l", "none");
	exec_is("[{command: [ls, -l]}]", "ls", "none");
	exec_is("[{command: [ls, '*']}]", "ls -l", "  0 0");
	exec_is("[{command: [ls, '*']}]", "ls", "none");
	exec_is("[{command: [ls, '*']}]", "ls -l x", "none");
	exec_is("[{command: [ls, '**'], exitCode: 255}]", "ls", "  255 0");
	exec_is("[{command: [ls, '**']}]", "ls -l x", "  0 0");
	exec_is("[{command: ['**', x]}]", "** x", "  0 0");
	exec_is("[{command: ['**', x]}]", "ls x", "none");
	exec_is("[{stderr: e, seconds: 2}]", "any thing", " e 0 2000");
	exec_is("[{command: [a]}, {exitCode: 3}]", "b", "  3 0");
	exec_is("[{command: [a], exitCode: 2}, {exitCode: 3}]", "a", "  2 0");
	exec_is("- {command: [cat], echo: true}", "cat", "  0 0 echo");
	exec_is("- {command: []}", "", "  0 0");

#define BAD "annotation " P "exec: "
	exec_is("{}", "a", BAD "want a list of rules");
	exec_is("[x]", "a", BAD "want a mapping for each rule");
	exec_is("[{x: 1}]", "a", BAD "x: unknown");
	exec_is("[{stdout: 1}]", "a", BAD "stdout: want a text");
	exec_is("[{echo: 1}]", "a", BAD "echo: want true or false");
	exec_is("[{command: x}]", "a", BAD "command: want a list of texts");
	exec_is("[{command: [sleep, 10]}]", "sleep 10", "  0 0");
	exec_is("[{command: [yes]}]", "a", BAD "command: want a list of texts");
	exec_is("[{exitCode: 256}]", "a", BAD "exitCode: want 0 to 255");
	exec_is("[{exitCode: -1}]", "a", BAD "exitCode: want 0 to 255");
	exec_is("[{seconds: 3601}]", "a", BAD "seconds: want 0 to 3600");
	exec_is("[{command: [b]}, {exitCode: x}]", "b",
	    BAD "exitCode: want 0 to 255");
}

static void
attach_is(const char *rule, const char *want)
{
	struct node *tree = pod("{}");
	struct script_run run;
	struct err err = ERR_INIT;
	enum script_found found;

	if (rule != NULL)
		tree_put(&arena, tree_path(tree, "metadata.annotations"),
		    P "attach", tree_str(&arena, rule));
	found = script_attach(&arena, tree, span_str("a"), &run, &err);
	is(run_text(found, &run, &err), want, rule == NULL ? "none" : rule);
}

static void
port_is(const char *ports, unsigned port, const char *want)
{
	struct node *tree = pod("{}");
	struct script_port p;
	struct err err = ERR_INIT;
	enum script_found found;
	const char *got = "none";

	tree_put(&arena, tree_path(tree, "metadata.annotations"), P "ports",
	    tree_str(&arena, ports));
	found = script_port(&arena, tree, port, &p, &err);
	if (found == SCRIPT_FOUND)
		got = arena_printf(&arena, "%.*s %.*s%s", SPAN_ARG(p.greeting),
		    SPAN_ARG(p.answer), p.echo ? " echo" : "")
			  .p;
	else if (found == SCRIPT_BAD)
		got = err.message;
	is(got, want, ports);
}

TEST(script)
{
	attach_is(NULL, "none");
	attach_is("{stdout: hi, exitCode: 4}", "hi  4 0");
	attach_is("{command: [x]}", "annotation " P "attach: command: unknown");
	attach_is("[]", "annotation " P "attach: want a mapping for each rule");
	port_is("{80: {echo: true}}", 80, "  echo");
	port_is("{80: {echo: true}}", 8080, "none");
	port_is("{'80': {greeting: g, answer: a}}", 80, "g a");
	port_is("[]", 80,
	    "annotation " P "ports: want a mapping from ports to rules");
	port_is(
	    "{80: {stdout: x}}", 80, "annotation " P "ports: stdout: unknown");
	arena_release(&arena);
}
