# What the expressions of a scenario may call. Their input is the state, a list
# of objects, or the changes, [{change, by, time, step, object}].

# The objects of a kind, from either.
def objects($kind): [.[] | .object // . | select(.kind == $kind)];
# The last one of a kind and name; null: there is none.
def object($kind; $name): [objects($kind)[] | select(.metadata.name == $name)][-1];
# Its condition of a type.
def condition($type): [.status.conditions[]? | select(.type == $type)][0];
# Whether the condition is True.
def is($type): condition($type).status == "True";
# Who made objects of that kind, in order: [{by, name}].
def made($kind): [.[] | select(.change == "ADDED" and .object.kind == $kind)
  | {by, name: .object.metadata.name}];
