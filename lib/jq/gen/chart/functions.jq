# The functions of Helm's templates that helm.jq (in lib/jq) has.
#
# NAME: the number of arguments; or "list": any number, which are one list; or
# [N]: N arguments, and a list of the others. `gives` says what comes out, if
# that is always a text, a number or a boolean.
def _functions: {
  default: 2, empty: 1, quote: "list", squote: "list", toYaml: 1, toJson: 1,
  toPrettyJson: 1, toRawJson: 1, fromYaml: 1, fromYamlArray: 1, fromJson: 1,
  fromJsonArray: 1, indent: 2, nindent: 2, trunc: 2, trimSuffix: 2,
  trimPrefix: 2, trim: 1, trimAll: 2, upper: 1, lower: 1, title: 1,
  untitle: 1, replace: 3, contains: 2, hasPrefix: 2, hasSuffix: 2, repeat: 2,
  join: 2, split: 2, splitList: 2, splitn: 3, cat: "list", printf: [1],
  print: "list", println: "list", eq: [1], ne: 2, lt: 2, le: 2, gt: 2, ge: 2,
  not: 1, len: 1, index: [1], slice: [1], dict: "list", list: "list", get: 2,
  set: 3, unset: 2, hasKey: 2, keys: "list", values: 1, pick: [1], omit: [1],
  merge: "list", mergeOverwrite: "list", deepCopy: 1, pluck: [1], dig: "list",
  coalesce: "list", ternary: 3, has: 2, without: [1], first: 1, last: 1,
  rest: 1, initial: 1, append: 2, prepend: 2, concat: "list", uniq: 1,
  reverse: 1, sortAlpha: 1, compact: 1, until: 1, untilStep: 3,
  seq: "list", add: "list", add1: 1, sub: 2, mul: "list", div: 2, mod: 2,
  max: "list", min: "list", addf: "list", subf: "list", mulf: "list",
  divf: "list", int: 1, int64: 1, float64: 1, toString: 1, toStrings: 1,
  toDecimal: 1, floor: 1, ceil: 1, round: 2, atoi: 1, kindOf: 1, kindIs: 2,
  typeOf: 1, typeIs: 2, typeIsLike: 2, b64enc: 1, b64dec: 1, sha256sum: 1,
  regexMatch: 2, regexReplaceAll: 3, regexReplaceAllLiteral: 3, regexFind: 2,
  regexFindAll: 3, regexSplit: 3, regexQuoteMeta: 1, semver: 1,
  semverCompare: 2, required: 2, fail: 1, lookup: 4, snakecase: 1,
  camelcase: 1, kebabcase: 1, nospace: 1, substr: 3, abbrev: 2, base: 1,
  dir: 1, ext: 1, urlParse: 1, urlJoin: 1, urlquery: 1, html: 1, any: "list",
  all: "list", deepEqual: 2, swapcase: 1,
  plural: 3
};

def _same_functions: {
  trimall: "trimAll", push: "append", tuple: "list", biggest: "max"
};

# mustX does what X does.
def function_name:
  if startswith("must") and length > 4 then
    .[4:] | (.[:1] | ascii_downcase) + .[1:]
  else . end
  | _same_functions[.] // .;

def _texts: ["quote", "squote", "toYaml", "toJson", "toPrettyJson",
  "toRawJson", "indent", "nindent", "trunc", "trimSuffix", "trimPrefix",
  "trim", "trimAll", "upper", "lower", "title", "untitle", "replace",
  "repeat", "join", "cat", "printf", "print", "println", "toString", "kindOf",
  "typeOf", "b64enc", "b64dec", "sha256sum", "regexReplaceAll",
  "regexReplaceAllLiteral", "regexFind", "snakecase", "camelcase",
  "kebabcase", "nospace", "substr", "include", "tpl"];
def _integers: ["len", "add", "add1", "sub", "mul", "div", "mod", "max", "min",
  "int", "int64", "atoi"];
def _booleans: ["empty", "contains", "hasPrefix", "hasSuffix", "eq", "ne",
  "lt", "le", "gt", "ge", "not", "hasKey", "kindIs", "typeIs", "typeIsLike",
  "has", "regexMatch", "semverCompare", "any", "all", "deepEqual"];

# A program is pure, and sees no cluster while it makes the objects.
def _random_functions: ["randAlphaNum", "randAlpha", "randNumeric", "randAscii",
  "uuidv4"];
def _impossible_functions: {
  genCA: "makes a certificate", genCAWithKey: "makes a certificate",
  genSelfSignedCert: "makes a certificate",
  genSelfSignedCertWithKey: "makes a certificate",
  genSignedCert: "makes a certificate",
  genSignedCertWithKey: "makes a certificate",
  genPrivateKey: "makes a key", derivePassword: "makes a password",
  htpasswd: "makes a salt", bcrypt: "makes a salt",
  encryptAES: "makes a salt", decryptAES: "is not supported",
  buildCustomCert: "is not supported", now: "reads the clock",
  date: "reads the clock", dateInZone: "reads the clock",
  date_in_zone: "reads the clock",
  ago: "reads the clock", unixEpoch: "reads the clock",
  htmlDate: "reads the clock", randInt: "is random", randBytes: "is random",
  shuffle: "is random", env: "reads the environment",
  expandenv: "reads the environment", getHostByName: "asks the network"
};
