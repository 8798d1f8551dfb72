# Amounts, with the 15 digits that numbers have; ireconcile has all of them, and
# rounds up to a billionth.

def _plain_quantity:
  (capture("\\A(?<sign>[-+]?)(?<digits>[0-9]+[.]?[0-9]*|[.][0-9]+)"
      + "(?<suffix>[numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]+|)\\z")
    // error("quantity: quantities must match the regular expression "
      + "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"))
  | .suffix as $suffix
  | ({n: "e-9", u: "e-6", m: "e-3", "": "", k: "e3", M: "e6", G: "e9",
      T: "e12", P: "e15", E: "e18"}[$suffix]
      // (if $suffix | endswith("i") then "" else $suffix end)) as $power
  | ({Ki: 1, Mi: 2, Gi: 3, Ti: 4, Pi: 5, Ei: 6}[$suffix] // 0) as $binary
  | ("0" + .digits + (if .digits | endswith(".") then "0" else "" end)
      + $power | tonumber)
    * ([range($binary) | 1024] | reduce .[] as $k (1; . * $k))
    * if .sign == "-" then -1 else 1 end;

def _plain_quantity_compare:
  map(_plain_quantity)
  | if .[0] < .[1] then -1 elif .[0] == .[1] then 0 else 1 end;

def _plain_duration:
  {ns: 0.000000001, us: 0.000001, "µs": 0.000001, "μs": 0.000001, ms: 0.001,
    s: 1, m: 60, h: 3600} as $units
  | "([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h)" as $part
  | if type == "string" and test("\\A[-+]?(0|(\($part))+)\\z") then
      (reduce match($part; "g").captures as $found (0;
          . + ("0" + $found[0].string + "e0" | sub("[.]e"; "e") | tonumber)
            * $units[$found[1].string]))
        * if startswith("-") then -1 else 1 end
    else error("duration: not a duration such as 1h30m (a day is 24h)") end;
