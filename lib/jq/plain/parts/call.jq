# What ireconcile has in C, and calls by _call. (There: program/natives.h.)
def _call($name; x): x as $x
  | if $name == "sha256" then $x | _plain_sha256
    elif $name == "to_yaml" then ($x | _yaml("")) + "\n"
    elif $name == "quantity" then $x | _plain_quantity
    elif $name == "quantity_compare" then $x | _plain_quantity_compare
    elif $name == "duration" then $x | _plain_duration
    elif $name == "wrong" then error($x)
    else
      error("\($name | ltrimstr("zoned_")): not in plain jq; ireconcile has it")
    end;
