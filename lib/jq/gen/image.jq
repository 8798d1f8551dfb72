# Containerfile: an image of an operator, for those who build with docker or
# podman. `make image` and share/kpipe/image/build make smaller ones, without
# either.

def runs: [.files[] | select(endswith(".jq") or endswith(".json"))
  | select(startswith("t/") | not)] | ["watches.yaml"] + sort;

# Of `file`: its folder in the image.
def place: split("/")[:-1] | join("/") | "/operator/" + (if . == "" then ""
  else . + "/" end);

def copies: [runs | group_by(place)[] | (.[0] | place) as $place
  | "COPY --chown=0:0 " + join(" ") + " \($place)"];

def labelled($key; $value): if ($value // "") == "" then empty
  else "LABEL org.opencontainers.image.\($key)=\($value | @json)" end;

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

def image: [{path: "Containerfile", text: (containerfile | join("\n") + "\n")}];
