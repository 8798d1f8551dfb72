# Objects that are templates of Helm: most of their text is that of yaml, and a
# person can read the rest.
#
#	{replicas: helm("{{ .Values.replicas }}")}	a value, as it is
#	between("{{- with .Values.affinity }}"; {affinity: helm("...")})
#	[line("{{- if .Values.x }}"), "an element", line("{{- end }}")]
#
# `template` makes the text. Any other {{ of an object is text for Helm, too:
# expressions of Prometheus, say.

include "gen/yaml";

# Until it is text, an expression is a word of letters and digits, which YAML
# never quotes; too long for a list on one line.
def _word($begin; $unique):
  $begin + (. + "\u0000" + $unique | explode | map(tostring) | join("x"))
    + "x0" * 40 + "HELMEND";

def helm($expression): $expression | _word("HELMVALUE"; "");

# A line of its own: an element of a list, or a key of an object, in which it
# needs a name, because no two keys may be the same.
def line($text; $unique): $text | _word("HELMLINE"; $unique);
def line($text): line($text; "");

# $object, between a line that begins a block and its end
def between($begin; $object):
  ($object | keys_unsorted | join(" ")) as $unique
  | {(line($begin; $unique)): null} + $object
    + {(line("{{- end }}"; $unique)): null};

# A list or an object of a value, if that is not empty, $indent deep.
def with_value($key; $value; $indent):
  between("{{- with \($value) }}";
    {($key): helm("{{- toYaml . | nindent \($indent) }}")});

def more_of($value; $indent): [line("{{- with \($value) }}"),
  line("{{- toYaml . | nindent \($indent) }}"), line("{{- end }}")];

def more_keys($value; $indent):
  between("{{- with \($value) }}";
    {(line("{{- toYaml . | nindent \($indent) }}"; $value)): null});

def _expression:
  split("x") | map(tonumber) | .[:index([0])] | implode;

def _expressions($begin): split($begin)
  | .[0] + ([.[1:][] | split("HELMEND")
      | (.[0] | _expression) + (.[1:] | join("HELMEND"))] | add // "");

def _is_line: contains("HELMLINE");

def _template_line:
  (split("{{") | join("{{ \"{{\" }}"))
  | if _is_line then split("HELMLINE")
      | (.[0] | rtrimstr("- ")) + (.[1] | split("HELMEND")[0] | _expression)
    else _expressions("HELMVALUE") end;

def template: split("\n") | map(_template_line) | join("\n");

# The text of a file of objects, or of more of them; with a condition, all of it
# or nothing.
def documents: map(yaml) | join("---\n") | template;
def more_documents: if . == [] then "" else "---\n" + documents end;
def when($condition): "{{- if \($condition) }}\n" + . + "{{- end }}\n";
