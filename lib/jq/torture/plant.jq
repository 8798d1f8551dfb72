# Objects whose Secrets have marks that nobody else would write:
# {objects, marks}.
#
# A mark has 18 bytes and begins at a multiple of three, so that its base64 is a
# part of the base64 of the value. Of a Secret of a type, whose values have a
# form, the mark is a value of its own.

def _mark($n): "ktorture-secret-\($n % 90 + 10)";

# Behind the text, at the next multiple of three bytes.
def _marked($mark):
  . + ("---"[:(3 - utf8bytelength % 3) % 3]) + $mark;

def _is_free: .type == null or .type == "Opaque";

# Texts alone: what is not UTF-8 stays.
def _decoded: try @base64d catch null
  | select(. != null and (contains("\ufffd") | not));

def _planted($mark):
  if _is_free and ((.data // {}) + (.stringData // {}) | length) > 0 then
    (.stringData // empty) |= map_values(_marked($mark))
    | (.data // empty) |= map_values(. as $old
        | [_decoded | _marked($mark) | @base64][0] // $old)
  else .stringData["ktorture"] = $mark end;

def plant:
  reduce .[] as $o ({objects: [], marks: []};
    if $o.kind == "Secret" and $o.apiVersion == "v1" then
      _mark(.marks | length / 2) as $mark
      | .objects += [$o | _planted($mark)]
      | .marks += [$mark, ($mark | @base64)]
    else .objects += [$o] end);
