# to_yaml: a value as YAML that YAML 1.1 and 1.2 readers take alike.
#
# Keys are sorted, so that equal values give equal text. Strings are always
# quoted: none is ever taken for a number, a date or "no". Text of several
# lines that may stand so (a certificate) is a literal block.
# (In C, as sha256: cmd/ireconcile/program/yamltext.c.)
def to_yaml: _call("to_yaml"; .);

# from_yaml: the documents of a text, a list; empty ones are left out. As
# kubectl and Helm read it, YAML 1.1: yes is true, 0644 is 420.
# (In C, in ireconcile alone: cmd/ireconcile/program/helmyaml.c.)
def from_yaml: _call("from_yaml"; .);
