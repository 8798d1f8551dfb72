# Containerfile: an image of an operator, for those who build with docker or
# podman. `make image` and share/kpipe/image/build make smaller ones, without
# either.

# No program can read JSON from a file, and it may be a key.
def runs: [.files[] | select(endswith(".jq") and (startswith("t/") | not))] | ["watches.yaml"] + sort;

# COPY splits its line at blanks, and replaces $ and *.
def _is_plain_name: all(explode[]; 48 <= . and . <= 57 or 65 <= . and . <= 90
  or 97 <= . and . <= 122 or (. as $c | "-._/" | explode | index([$c]) != null));

def checked_names: (map(select(_is_plain_name | not)) | .[0]) as $odd
  | if $odd == null then . else
      error("\($odd | tojson): a Containerfile cannot copy a file of this name: "
        + "use letters, digits, dots and dashes") end;

# Of `file`: its folder in the image.
def place: split("/")[:-1] | join("/") | "/operator/" + (if . == "" then ""
  else . + "/" end);

def copies: [runs | checked_names | group_by(place)[] | (.[0] | place) as $place
  | "COPY --chown=0:0 " + join(" ") + " \($place)"];

def labelled($key; $value): if ($value // "") == "" then empty
  else "LABEL org.opencontainers.image.\($key)=\($value | @json | split("$")
    | join("\\$"))" end;

def containerfile: [
  "#	docker build -t \(.image) .		# or podman build",
  "#",
  "# The base has the tools of kpipe, their libraries and no shell. It is made",
  "# once, in the source of kpipe:",
  "#",
  ("#	docker build -t localhost/kpipe:\(.kpipe.version)"
    + " -f deploy/image/Containerfile ."),
  "ARG BASE=localhost/kpipe:\(.kpipe.version)",
  "FROM ${BASE}",
  labelled("title"; "\(.name)-operator"), labelled("version"; .version),
  labelled("description"; .description)]
  + copies + [
  "USER 65532:65532",
  "ENTRYPOINT [\"/usr/bin/kpipe\"]",
  "CMD [\"-f\", \"/operator/watches.yaml\"]"];

# Filters are programs of any kind, which need what only their authors know.
def filter_warnings: [.watches[].filters // [] | .[]
  | "watches.yaml: the image does not have the filter \(.[0] | tojson): add it, "
    + "with what it needs to run, in an image FROM this one"];

def image: [{path: "Containerfile", text: (containerfile | join("\n") + "\n"),
  warnings: filter_warnings}];
