# The functions of Helm's templates that helm.jq (in lib/jq) has.
#
# NAME: the number of arguments; or "list": any number, which are one list; or
# "more": one, and a list of the others. (Objects without arrays in them are
# constants of libjq 1.6; others it makes at each call.)
def _functions: {
  default: 2, empty: 1, quote: "list", squote: "list", toYaml: 1, toJson: 1,
  toPrettyJson: 1, toRawJson: 1, fromYaml: 1, fromYamlArray: 1, fromJson: 1,
  fromJsonArray: 1, indent: 2, nindent: 2, trunc: 2, trimSuffix: 2,
  trimPrefix: 2, trim: 1, trimAll: 2, upper: 1, lower: 1, title: 1,
  untitle: 1, replace: 3, contains: 2, hasPrefix: 2, hasSuffix: 2, repeat: 2,
  join: 2, split: 2, splitList: 2, splitn: 3, cat: "list", printf: "more",
  print: "list", println: "list", eq: "more", ne: 2, lt: 2, le: 2, gt: 2, ge: 2,
  not: 1, len: 1, index: "more", slice: "more", dict: "list", list: "list", get: 2,
  set: 3, unset: 2, hasKey: 2, keys: "list", values: 1, pick: "more", omit: "more",
  merge: "list", mergeOverwrite: "list", deepCopy: 1, pluck: "more", dig: "list",
  coalesce: "list", ternary: 3, has: 2, without: "more", first: 1, last: 1,
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

def _texts: {
  quote: 1, squote: 1, toYaml: 1, toJson: 1, toPrettyJson: 1, toRawJson: 1,
  indent: 1, nindent: 1, trunc: 1, trimSuffix: 1, trimPrefix: 1, trim: 1,
  trimAll: 1, upper: 1, lower: 1, title: 1, untitle: 1, replace: 1, repeat: 1,
  join: 1, cat: 1, printf: 1, print: 1, println: 1, toString: 1, kindOf: 1,
  typeOf: 1, b64enc: 1, b64dec: 1, sha256sum: 1, regexReplaceAll: 1,
  regexReplaceAllLiteral: 1, regexFind: 1, snakecase: 1, camelcase: 1,
  kebabcase: 1, nospace: 1, substr: 1, include: 1, tpl: 1
};
def _integers: {
  len: 1, add: 1, add1: 1, sub: 1, mul: 1, div: 1, mod: 1, max: 1, min: 1,
  int: 1, int64: 1, atoi: 1
};
def _booleans: {
  empty: 1, contains: 1, hasPrefix: 1, hasSuffix: 1, eq: 1, ne: 1, lt: 1,
  le: 1, gt: 1, ge: 1, not: 1, hasKey: 1, kindIs: 1, typeIs: 1, typeIsLike: 1,
  has: 1, regexMatch: 1, semverCompare: 1, any: 1, all: 1, deepEqual: 1
};

# A program is pure, and sees no cluster while it makes the objects.
def _random_functions: {
  randAlphaNum: 1, randAlpha: 1, randNumeric: 1, randAscii: 1, uuidv4: 1
};
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
