#include "chart/gotemplate.h"

#include "base/buf.h"
#include "json/jvtext.h"
#include "tap.h"

/* The tree's body as JSON, or the error. */
static const char *
parse(const char *text)
{
	static struct buf out;
	struct err err = ERR_INIT;
	jv tree = gotemplate_parse("t.yaml", span_str(text), &err);

	buf_reset(&out);
	if (!jv_is_valid(tree))
		buf_adds(&out, err.message);
	else if (jvtext_add(&out, jvtext_peek(tree, "body"), &err) != 0)
		buf_adds(&out, err.message);
	jv_free(tree);
	return buf_str(&out);
}

int
main(void)
{
	/* texts and blanks */
	is(parse("a"), "[\"a\"]", "text");
	is(parse(""), "[]", "nothing");
	is(parse("a {{- /* b */ -}}\n c"), "[\"a\",\"c\"]",
	    "a comment, blanks cut on both sides");
	is(parse("{{-3}}"),
	    "[{\"assigns\":false,\"changes\":false,\"line\":1,\"t\":\"print\","
	    "\"vars\":[],\"x\":{\"e\":\"lit\",\"v\":-3}}]",
	    "a minus without a blank is a number's");

	/* expressions */
#define PRINT(x)                                                            \
	"[{\"assigns\":false,\"changes\":false,\"line\":1,\"t\":\"print\"," \
	"\"vars\":[],\"x\":" x "}]"
	is(parse("{{ .a.b }}"),
	    PRINT(
		"{\"e\":\"chain\",\"f\":[\"a\",\"b\"],\"of\":{\"e\":\"dot\"}}"),
	    "fields");
	is(parse("{{ $.a }}"),
	    PRINT("{\"e\":\"chain\",\"f\":[\"a\"],\"of\":{\"e\":\"var\",\"v\":"
		  "\"\"}}"),
	    "a field of $");
	is(parse("{{ 0644 }}"), PRINT("{\"e\":\"lit\",\"v\":420}"),
	    "an octal number");
	is(parse("{{ 0x1F }}"), PRINT("{\"e\":\"lit\",\"v\":31}"),
	    "a hexadecimal number");
	is(parse("{{ \"a\\n\\u00e4\\x41\" }}"),
	    PRINT("{\"e\":\"lit\",\"v\":\"a\\n\xc3\xa4"
		  "A\"}"),
	    "escapes");
	is(parse("{{ `a\\n` }}"), PRINT("{\"e\":\"lit\",\"v\":\"a\\\\n\"}"),
	    "a raw text");
	is(parse("{{ .a | f 1 }}"),
	    PRINT(
		"{\"args\":[{\"e\":\"lit\",\"v\":1},{\"e\":\"chain\",\"f\":"
		"[\"a\"],\"of\":{\"e\":\"dot\"}}],\"e\":\"call\",\"fn\":\"f\","
		"\"line\":1}"),
	    "a pipeline: the value before is the last argument");
	is(parse("{{ .F.Get \"x\" }}"),
	    PRINT("{\"args\":[{\"e\":\"lit\",\"v\":\"x\"}],\"e\":\"method\","
		  "\"f\":[\"F\",\"Get\"],\"line\":1,\"of\":{\"e\":\"dot\"}}"),
	    "a method");
	is(parse("{{ (f).a }}"),
	    PRINT("{\"e\":\"chain\",\"f\":[\"a\"],\"of\":{\"args\":[],\"e\":"
		  "\"call\",\"fn\":\"f\",\"line\":1}}"),
	    "a field of what is in parentheses");

	/* statements */
	is(parse("{{ if .a }}x{{ else if .b }}y{{ else }}z{{ end }}"),
	    "[{\"assigns\":false,\"changes\":false,\"else\":[{\"assigns\":"
	    "false,\"changes\":false,\"else\":[\"z\"],\"line\":1,\"t\":\"if\","
	    "\"then\":[\"y\"],\"vars\":[],\"x\":{\"e\":\"chain\",\"f\":[\"b\"],"
	    "\"of\":{\"e\":\"dot\"}}}],\"line\":1,\"t\":\"if\",\"then\":[\"x\"]"
	    ","
	    "\"vars\":[],\"x\":{\"e\":\"chain\",\"f\":[\"a\"],\"of\":{\"e\":"
	    "\"dot\"}}}]",
	    "if, else if, else");
	is(parse("\n{{ range $i, $x := . }}{{ $y = set $x \"a\" 1 }}{{ end }}"),
	    "[\"\\n\",{\"assigns\":true,\"changes\":false,\"declares\":true,"
	    "\"else\":[],\"line\":2,\"t\":\"range\",\"then\":[{\"assigns\":"
	    "true,"
	    "\"changes\":true,\"declares\":false,\"line\":2,\"t\":\"set\","
	    "\"vars\":[\"y\"],\"x\":{\"args\":[{\"e\":\"var\",\"v\":\"x\"},{"
	    "\"e\":\"lit\",\"v\":\"a\"},{\"e\":\"lit\",\"v\":1}],\"e\":"
	    "\"call\","
	    "\"fn\":\"set\",\"line\":2}}],\"vars\":[\"i\",\"x\"],\"x\":{\"e\":"
	    "\"dot\"}}]",
	    "range with variables, an assignment, a change");

	/* errors */
	is(parse("\n{{ if .a }}"),
	    "t.yaml:2: an if, with, range, define or block has no end",
	    "no end");
	is(parse("{{ end }}"),
	    "t.yaml:1: an end or else without an if, with, range or define",
	    "an end alone");
	is(parse("{{ .a"), "t.yaml:1: an action does not end with }}",
	    "an action is open");
	is(parse("{{ \"a }}"), "t.yaml:1: a text in quotes does not end",
	    "a text is open");
	is(parse("{{ (.a }}"), "t.yaml:1: a parenthesis is not closed",
	    "a parenthesis is open");
	is(parse("{{ /* a"), "t.yaml:1: a comment does not end",
	    "a comment is open");
	is(parse("{{ | }}"),
	    "t.yaml:1: an operand is missing, or is not understood", "a pipe");
	is(parse("{{ }}"),
	    "t.yaml:1: an operand is missing, or is not understood", "empty");
	is(parse("{{ 12ab }}"), "t.yaml:1: a number is not one",
	    "not a number");
	is(parse("{{ \"\\q\" }}"), "t.yaml:1: an escape in a text is unknown",
	    "an escape");
	is(parse("{{ if . }}{{ else }}{{ else }}{{ end }}"),
	    "t.yaml:1: a second else", "two else");
	{
		struct buf deep = BUF_INIT;

		for (int i = 0; i < GOTEMPLATE_DEPTH_MAX + 1; i++)
			buf_adds(&deep, "{{if .}}");
		is(parse(buf_str(&deep)),
		    "t.yaml:1: templates are nested too deep", "depth");
		buf_reset(&deep);
		buf_adds(&deep, "{{ ");
		for (int i = 0; i < GOTEMPLATE_DEPTH_MAX + 1; i++)
			buf_addc(&deep, '(');
		is(parse(buf_str(&deep)),
		    "t.yaml:1: parentheses are nested too deep", "parentheses");
		buf_release(&deep);
	}
	return tap_done();
}
