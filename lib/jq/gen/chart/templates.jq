# The templates of a chart and of those below it as functions of jq.
include "gen/chart/code";

# Charts that are rendered, with those below: {chart, keys (the path of its
# values), prefix (of the names of its templates), own (from Chart.yaml)}.
def chart_instances($keys; $prefix; $name):
  . as $c
  | {chart: $c, keys: $keys, prefix: $prefix, name: $name},
    ($c.charts[] as $below
      | [$c.chart.dependencies[]? | select(.name == $below.chart.name)] as $given
      | (if $given == [] then {} else $given[] end) as $dependency
      | ($dependency.alias // $below.chart.name) as $key
      | $below
      | chart_instances($keys + [$key]; "\($prefix)charts/\($key)/"; $key)
      | if .keys == $keys + [$key] then .dependency = $dependency else . end);

# (A text or a README beside the templates makes no objects.)
def _is_partial: split("/") | last
  | startswith("_") or (test("\\.(ya?ml|json)\\z") | not);

# A file of a program has at most 1 MiB: long texts (CRDs) are templates apart.
def _longest: 300000;
def _is_long: type == "string" and length > _longest;
def _cut: if _is_long then .[:_longest], (.[_longest:] | _cut) else . end;
def _apart:
  if any(.body | .. | strings; _is_long) | not then .
  else . as $t
    | def name: "\u0000part of \($t.name) \(.)";
    ([$t.body | .. | arrays | .[] | select(_is_long) | _cut] | unique) as $cuts
    | (.body |= walk(if type == "array" then
          [.[] | if _is_long then
            _cut as $text | {t: "template", line: $t.line, x: null,
              name: ($cuts | index([$text]) | name)}
            else . end] else . end)),
      ($cuts | keys[] as $i | $t + {name: ($i | name), body: [.[$i]], is_file: false})
  end;

# Every template, {name, path, prefix, body}; that of a file is named by its
# path. Those of the charts below come first, because a later one of a name
# counts.
def _all_templates:
  [reverse[] as $i
    | $i.chart.templates[] as $t
    | ($t.defines | to_entries[]
        | {name: .key, path: "\($i.prefix)\($t.path)", prefix: $i.prefix,
            body: .value.body, line: .value.line}),
      (if ($t.path | _is_partial) or $i.chart.chart.type == "library" then empty
       else {name: "\($i.prefix)\($t.path)", path: "\($i.prefix)\($t.path)",
         prefix: $i.prefix, body: $t.body, line: 1, is_file: true} end)
    | _apart]
  | reduce .[] as $t ({}; .[$t.name] = $t);

def _function_known: . as $name
  | ($name | function_name) as $f
  | _functions[$f] != null or ($name | IN("include", "tpl", "and", "or"))
    or _random_functions[$f] != null or _impossible_functions[$name] != null;

# Templates in values that are of Helm: every function and template is known.
def _texts($c):
  [.[].chart.texts | to_entries[]
    | select(all(.value | .. | objects; .e != "call" or (.fn | _function_known)))
    | select((.value.defines | length) == 0)
    | {text: .key, body: .value.body}]
  | unique_by(.text)
  | map(select(.body | called_templates($c)
      | all(.[]; . == "\u0000tpl" or $c.names[.] != null)));

def _unique_names($prefix; $taken):
  reduce .[] as $name ({names: {}, taken: $taken};
    ("\($prefix)\($name | identifier)") as $base
    | .taken as $t
    | first($base, (range(2; 1000) | "\($base)_\(.)")
        | select($t[.] | not)) as $f
    | .names[$name] = $f | .taken[$f] = true);

# ---- in an order that jq takes: what is called comes before ----

def _reach($calls): . as $from
  | {seen: {}, next: [$from]}
  | until(.next == [];
      .seen as $seen
      | ([.next[] | $calls[.][]] | unique | map(select($seen[.] | not))) as $more
      | .next = $more | reduce $more[] as $m (.; .seen[$m] = true))
  | .seen;

# Groups of templates that call each other, in order.
def _groups($calls):
  [keys[]] as $all
  | (reduce $all[] as $n ({}; .[$n] = ($n | _reach($calls)))) as $reach
  | def visit($n): if .done[$n] then .
      else .done[$n] = true
        | ([$all[] | select(. == $n or ($reach[$n][.] and $reach[.][$n]))]) as $group
        | reduce $group[] as $g (.; .done[$g] = true)
        | reduce ($group[] | $calls[.][] | select(IN($group[]) | not)) as $d
            (.; visit($d))
        | .order += [$group] end;
  reduce $all[] as $n ({done: {}, order: []}; visit($n)) | .order;

# ---- functions ----

def _context($c; $t): $c + {path: $t.path, prefix: $t.prefix, at_root: true};

def _uses_root: [.. | objects | select(.e == "var" and .v == "")] != [];

def _body($c): . as $t
  | if $t.tpl then
      ". as [$_text, $_context]\n| def one($_p): $_context | "
      + ([$t.texts[] | "if $_p == \(.text | tojson) then \(.name | _call_of($c))\n  else "]
          | add // "")
      + "null" + ([$t.texts[] | " end"] | add // "") + ";\n"
      + "if $_text | type != \"string\" or (contains(\"{{\") | not) then $_text | h_text\n"
      + "else one($_text) as $_whole | if $_whole != null then $_whole\n"
      + "  else [$_text | h_pieces[] | if startswith(\"{{\") then . as $_p\n"
      + "      | one($_p) as $_one | if $_one != null then $_one\n"
      + "      else $_context | h_action($_p; . as $_n | $_context | "
      + ([$t.named[] | "if $_n == \(tojson) then \(_call_of($c)) else "] | add // "")
      + "error(\"a template in a value calls a template that is not known: \" + $_n)"
      + ([$t.named[] | " end"] | add // "") + ") end\n"
      + "    else . end] | add // \"\" end end"
    else
      # Sets and merges of the dot bind $root.
      "\(if ($t.body | _uses_root) or any($t.body[]; type == "object" and .assigns)
         then ". as $root\n| " else "" end)h_join(\n  \($t.body | stream(_context($c; $t)) | _hang))"
    end;

def _comment: "# \(.path)" + (if .line != null and .line > 1 then ":\(.line)" else "" end) + "\n";

def _function($c): . as $t
  | "\(if .path then _comment else "" end)def \($c.names[.name]):\n  \(_body($c) | _hang);\n";

def _functions_of_group($c; $calls; $number):
  . as $group
  | if length == 1 then .[0] | _function($c)
    else
      "templates_\($number)" as $name
      | ($c + {group: [$group[] | $c.names[.name]], group_name: $name}) as $inner
      | "# These call each other.\ndef \($name)($_name):\n"
        + ([$group[] | "  " + (_function($inner) | rtrimstr("\n") | _hang) + "\n"] | add)
        + "  " + ([$group[] | "if $_name == \($c.names[.name] | tojson) then \($c.names[.name])\n  else "]
            | add) + "error(\"there is no template \" + $_name)"
        + ([$group[] | " end"] | add) + ";\n"
        + ([$group[] | $c.names[.name] | "def \(.): \($name)(\(tojson));\n"] | add)
    end;

# {names, parts (texts of at most a file), templates (those that are called),
# files (of them)}
def templates_of($instances):
  ($instances | _all_templates) as $all
  | ([$all[] | select(.is_file | not) | .name] | _unique_names("t_"; {}))  as $named
  | ([$all[] | select(.is_file) | .name]
      | _unique_names("f_"; $named.taken)) as $files
  | {names: ($named.names + $files.names + {"\u0000tpl": "t_tpl"})} as $c0
  | ($instances | _texts($c0)) as $texts
  | [range($texts | length) as $i
      | {name: "\u0000text \($i)", text: $texts[$i].text, body: $texts[$i].body,
          prefix: $instances[0].prefix, path: "values.yaml", line: null}] as $text_nodes
  | ($c0 | .names += ([$text_nodes[] | {(.name): "text_\(.name[6:])"}] | add)) as $c
  | ($all + {"\u0000tpl": {name: "\u0000tpl", tpl: true, texts: $text_nodes}}
      + ([$text_nodes[] | {(.name): .}] | add)) as $nodes
  | ($nodes | map_values(. as $n
      | if .tpl then [.texts[].name]
        else .prefix as $p | .body | called_templates($c + {prefix: $p})
          | map(select($nodes[.] != null)) end)) as $calls0
  # Values may call the names and labels of the charts; those that render values
  # themselves would go round.
  | ([$all[] | select(.is_file | not) | .name | select(test("([nN]ames?|[nN]amespace|[lL]abels|[cC]hart|[nN]ame|image)\\z"))
      | select(_reach($calls0) | has("\u0000tpl") | not)]) as $safe
  | ($nodes | .["\u0000tpl"].named = $safe) as $nodes
  | ($calls0 | .["\u0000tpl"] += $safe) as $calls
  | ([$all[] | select(.is_file) | .name]) as $file_names
  | (reduce $file_names[] as $f ({}; . + ($f | _reach($calls)) + {($f): true})) as $used
  | ($nodes | with_entries(select($used[.key]))) as $kept
  | ($kept | _groups($calls)) as $groups
  | ([range($groups | length) as $i | $groups[$i] as $group
      | ([$group[] | $kept[.]] | _functions_of_group($c; $calls; $i)) as $text
      | {text: $text, n: ($text | utf8bytelength)}]) as $functions
  | {
      names: $c.names,
      templates: [$kept[]],
      files: [$all[] | select(.is_file)],
      parts: (reduce $functions[] as $f ([{n: 0, list: []}];
            if .[-1].n + $f.n > 900000 and .[-1].n > 0
            then . + [{n: $f.n, list: [$f.text]}]
            else .[-1] |= (.n += $f.n | .list += [$f.text]) end)
        | map(.list | join("\n")))
    };
