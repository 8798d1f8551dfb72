#include "builtin/ruleline.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "builtin/topics.h"
#include "type/tables.h"

/* Assembled where make runs: at the top of the repository. */
__asm__(".section .rodata\n"
	".global ruleline_text, ruleline_text_end\n"
	"ruleline_text: .incbin \"cmd/kapi/builtin/rules.txt\"\n"
	"ruleline_text_end: .byte 0\n"
	".previous\n");

extern const char ruleline_text[], ruleline_text_end[];

/* All of rules.txt, by the names of its sections: for the life of the
 * process. */
static struct arena lasting = ARENA_INIT;
static struct map sections = MAP_INIT;

/* ---- paths ---- */

struct rule_path
ruleline_path(struct arena *a, struct span text)
{
	struct rule_path path = {0};

	for (; text.n > 0 && strchr("/~^", *text.p) != NULL;
	     text = span_skip(text, 1)) {
		path.root = path.root || *text.p == '/';
		path.live = path.live || *text.p == '~';
		path.up += *text.p == '^';
	}
	if (span_is(text, "."))
		return path;
	while (text.n > 0) {
		struct rule_step *s;
		size_t n = 0;
		char *key = NULL;
		path.steps = arena_more(a, path.steps, path.n, sizeof(*s));
		s = &path.steps[path.n++];
		*s = (struct rule_step){.kind = STEP_KEY};
		if (span_take(&text, "[0]"))
			s->kind = STEP_FIRST;
		else if (span_take(&text, "[]"))
			s->kind = STEP_ITEMS;
		else if (span_take(&text, "{}"))
			s->kind = STEP_MEMBERS;
		else if (span_take(&text, "["))
			s->kind = STEP_NAMED;
		if (s->kind == STEP_KEY || s->kind == STEP_NAMED) {
			const char *end =
			    s->kind == STEP_NAMED ? "]" : ".[]{}!";
			while (n < text.n && strchr(end, text.p[n]) == NULL)
				n++;
			key = arena_str(a, span_make(text.p, n));
			s->key = key;
			text = span_skip(text, n);
		}
		if (s->kind == STEP_NAMED) {
			char *status = strchr(key, '=');

			span_take(&text, "]");
			if (status != NULL) {
				*status = '\0';
				s->kind = STEP_CONDITION;
				s->status = status + 1;
			}
		}
		s->make = span_take(&text, "!");
		span_take(&text, ".");
	}
	return path;
}

/* ---- lines ---- */

/* A function that a line calls; NULL: unknown name. */
static rule_fn *
function_named(struct span name)
{
	static const struct {
		const char *name;
		rule_fn *fn;
	} all[] = {
	/* clang-format off */
#define F(name) {#name, name}
	F(apps_bad_strategy), F(apps_controller_selects), F(apps_template),
	F(batch_generated_selector), F(batch_indexes), F(batch_overlap),
	F(batch_selects), F(clusterip_allocate), F(container_device),
	F(container_env_name), F(container_host_ports), F(container_image),
	F(container_resources), F(container_search_path), F(cron_schedule),
	F(cron_zone), F(data_configmap_size), F(data_key), F(data_secret_size),
	F(data_text_key), F(limits_item), F(limits_quota),
	F(misc_condition_reason), F(misc_hook_client), F(misc_webhook_name),
	F(net_controller), F(net_host), F(net_ranges), F(net_ranges_changed),
	F(net_segment), F(pod_tolerations), F(podstatus_addresses),
	F(podstatus_states), F(resize_check), F(service_cluster_ips),
	F(service_drop_ports), F(service_external_name),
	F(service_follow_address), F(service_keep_ports),
	F(service_ports_differ), F(storage_capacity), F(storage_default_class),
#undef F
	    /* clang-format on */
	};

	for (size_t i = 0; i < COUNT(all); i++)
		if (span_is(name, all[i].name))
			return all[i].fn;
	return NULL;
}

static size_t
depth_of(struct span line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '\t')
		n++;
	return n;
}

/* PATH, with "?" or "+" behind it for when the rule counts, and maybe ":". */
static void
parse_path(struct rule *r, struct span path)
{
	r->when = WHEN_ALWAYS;
	if (span_ends(path, ":"))
		path.n--;
	if (span_ends(path, "?") || span_ends(path, "+")) {
		r->when = span_ends(path, "?") ? WHEN_GIVEN : WHEN_FILLED;
		path.n--;
	}
	r->path = ruleline_path(&lasting, path);
}

/* The words behind the path: OP ARG... [: DETAIL]. */
static void
parse_words(struct rule *r, struct span rest)
{
	while (rest.p != NULL) {
		struct span word = span_cut(&rest, ' ');
		if (span_is(word, ":")) {
			char *detail = arena_str(&lasting, rest);
			if (span_ends(rest, "\\n"))
				memcpy(detail + rest.n - 2, "\n", 2);
			r->detail = detail;
			return;
		}
		if (span_take(&word, "show:")) {
			r->has_shown = true;
			r->shown = ruleline_path(&lasting, word);
		} else if (span_take(&word, "at:")) {
			while (span_take(&word, "^"))
				r->named_up++;
			if (word.n > 0)
				r->top = arena_str(&lasting, word);
		} else {
			r->args = arena_more(
			    &lasting, r->args, r->arg_count, sizeof(*r->args));
			if (span_is(word, "\"\""))
				word.n = 0;
			r->args[r->arg_count++] = arena_span(&lasting, word);
		}
	}
}

/* A line of rules.txt that cannot be read is a bug. */
static void
unknown(const char *what, struct span name)
{
	fprintf(stderr, "kapi: bug: rules.txt names no %s: %.*s\n", what,
	    SPAN_ARG(name));
	exit(EXIT_BUG);
}

static void
parse_line(struct rule *r, struct span line)
{
	struct span word;

	span_cut(&line, ' ');
	if (line.p == NULL)
		return;
	word = span_cut(&line, ' ');
	r->op = ruleline_op(word);
	if (r->op == NULL)
		unknown("word", word);
	if (span_ends(word, "=")) {
		r->value = tree_parse(&lasting, line, TREE_LIMITS, NULL, NULL);
		return;
	}
	parse_words(r, line);
	if (r->op->takes_path && r->arg_count > 0)
		r->other = ruleline_path(&lasting, r->args[0]);
	if (span_is(word, "call")) {
		r->fn = function_named(r->args[0]);
		if (r->fn == NULL)
			unknown("function", r->args[0]);
	} else if (span_is(word, "do")) {
		r->section = map_get(&sections, r->args[0]);
		if (r->section == NULL)
			unknown("section", r->args[0]);
	}
}

static void
parse_condition(struct rule *r, struct span rest)
{
	while (rest.p != NULL) {
		r->terms = arena_more(
		    &lasting, r->terms, r->term_count, sizeof(*r->terms));
		r->terms[r->term_count++] =
		    rulecondition_parse(&lasting, span_cut(&rest, ' '));
	}
}

static struct rule *parse_block(struct span *text, size_t depth, size_t *n);

/* A line, and what is indented below it. */
static void
parse_rule(struct rule *r, struct span line, struct span *text, size_t depth)
{
	*r = (struct rule){.detail = ""};
	if (span_take(&line, "if ")) {
		r->kind = RULE_IF;
		parse_condition(r, line);
	} else if (span_take(&line, "elif ")) {
		r->kind = RULE_ELIF;
		parse_condition(r, line);
	} else if (span_is(line, "else")) {
		r->kind = RULE_ELSE;
	} else {
		parse_line(r, line);
	}
	r->inner = parse_block(text, depth + 1, &r->inner_count);
}

static struct rule *
parse_block(struct span *text, size_t depth, size_t *n)
{
	struct rule *rules = NULL;

	*n = 0;
	while (text->n > 0) {
		struct span rest = *text, line = tables_line(&rest);
		struct span paths;
		struct rule r;
		if (depth_of(line) < depth)
			break;
		*text = rest;
		line = span_skip(line, depth);
		parse_rule(&r, line, text, depth);
		paths = span_cut(&line, ' ');
		while (paths.p != NULL) {
			if (r.kind == RULE_LINE)
				parse_path(&r, span_cut(&paths, ','));
			else
				paths = SPAN_NONE;
			rules = arena_more(&lasting, rules, *n, sizeof(r));
			rules[(*n)++] = r;
		}
	}
	return rules;
}

/* A line without a tab in front names the sections that follow it. */
static void
find_sections(void)
{
	struct span text = span_make(
	    ruleline_text, (size_t)(ruleline_text_end - ruleline_text));
	struct span line;
	struct rule_section *s = NULL;

	while (text.n > 0) {
		line = tables_line(&text);
		if (line.n == 0 || *line.p == '#') {
			s = NULL;
		} else if (*line.p != '\t') {
			s = arena_zalloc(&lasting, sizeof(*s));
			s->text = span_make(text.p, 0);
			while (line.p != NULL)
				map_put(&sections,
				    span_trim(span_cut(&line, ','), " "), s);
		} else if (s != NULL) {
			s->text.n = (size_t)(text.p - s->text.p);
		}
	}
}

const struct rule_section *
ruleline_parsed(struct rule_section *s)
{
	struct span text;

	if (s != NULL && !s->parsed) {
		text = s->text;
		s->parsed = true;
		s->rules = parse_block(&text, 1, &s->n);
	}
	return s;
}

const struct rule_section *
ruleline_section(struct span name)
{
	if (sections.count == 0)
		find_sections();
	return ruleline_parsed(map_get(&sections, name));
}

size_t
ruleline_parse_all(void)
{
	struct span text = span_make(
	    ruleline_text, (size_t)(ruleline_text_end - ruleline_text));
	size_t n = 0;

	while (text.n > 0) {
		struct span line = tables_line(&text);
		while (line.n > 0 && *line.p != '#' && *line.p != '\t')
			n += ruleline_section(
				 span_trim(span_cut(&line, ','), " ")) != NULL;
	}
	return n;
}
