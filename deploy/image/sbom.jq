# The list of contents that deploy/image/sbom prints. SPDX 2.3:
# spdx.github.io/spdx-spec/v2.3

def lines: split("\n") | map(select(. != ""));
def id: gsub("[^A-Za-z0-9.-]"; "-");
def none: "NOASSERTION";

# Names that Debian and SPDX have for the same licence.
def spdx_names: {
  "Apache-2.0": "Apache-2.0", "Apache-2": "Apache-2.0",
  "Artistic": "Artistic-1.0-Perl",
  "BSD-2-clause": "BSD-2-Clause", "BSD-2-Clause": "BSD-2-Clause",
  "BSD-3-clause": "BSD-3-Clause", "BSD-3-Clause": "BSD-3-Clause",
  "BSD-4-clause": "BSD-4-Clause", "Expat": "MIT", "MIT": "MIT",
  "ISC": "ISC", "curl": "curl", "Zlib": "Zlib", "zlib": "Zlib",
  "GPL-2": "GPL-2.0-only", "GPL-2+": "GPL-2.0-or-later",
  "GPL-3": "GPL-3.0-only", "GPL-3+": "GPL-3.0-or-later",
  "LGPL-2.1": "LGPL-2.1-only", "LGPL-2.1+": "LGPL-2.1-or-later",
  "CC-BY-3.0": "CC-BY-3.0", "CC-BY-SA-4.0": "CC-BY-SA-4.0"};
def licence_id($owner): spdx_names[.] // "LicenseRef-\($owner | id)-\(id)";

# A package may say "A or B" of a file; all that its files say hold.
def licence($p):
  if $p.licence == [] then "LicenseRef-\($p.owner | id)"
  else [$p.licence[] | split(" or ") | map(licence_id($p.owner)) |
      if length > 1 then "(" + join(" OR ") + ")" else .[0] end] |
    unique | join(" AND ") end;
def own_names($p): if $p.licence == [] then ["LicenseRef-\($p.owner | id)"]
  else [$p.licence[] | split(" or ")[] | licence_id($p.owner)] |
    map(select(startswith("LicenseRef-"))) end;

def package_lines: lines | map(split("\t")) |
  reduce .[] as [$key, $value] ({licence: []};
    if $key == "licence" then .licence += [$value] else .[$key] = $value end);
def package_id: "SPDXRef-Package-\(.owner | id)";

def common($p): {
  SPDXID: ($p | package_id), downloadLocation: none,
  packageVerificationCode: {packageVerificationCodeValue: $p.checksum},
  licenseConcluded: none, copyrightText: none};
def debian_package($p; $release): common($p) + {
  name: $p.Package, versionInfo: $p.Version,
  supplier: "Organization: Debian", description: $p.Description,
  sourceInfo: "Debian source package \($p.Source)",
  licenseDeclared: licence($p),
  externalRefs: [{
    referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
    referenceLocator: ("pkg:deb/debian/" + ($p.Package | @uri)
      + "@\($p.Version | @uri)?arch=\($p.Architecture)"
      + "&distro=debian-\($release)")}]};
def own_package($p; $name; $version): common($p) + {
  name: $name, versionInfo: $version, licenseDeclared:
    (if $name == "kpipe" then "Apache-2.0" else none end)};

def file: {
  SPDXID: "SPDXRef-File-\(.[0] | id)", fileName: "./\(.[0])",
  checksums: [{algorithm: "SHA1", checksumValue: .[2]},
    {algorithm: "SHA256", checksumValue: .[3]}],
  licenseConcluded: none, licenseInfoInFiles: [none], copyrightText: none};
def relation($from; $type; $to): {spdxElementId: $from,
  relationshipType: $type, relatedSpdxElement: $to};

$description[0] as $d | ($d.title // "\($d.name)-operator") as $name
| ($files | lines | map(split("\t"))) as $files
| ($packages | split("\n\n") | map(select(. != "") | package_lines))
  as $packages
# The operator, or kpipe alone.
| (["operator", "kpipe"] - (["operator", "kpipe"] - [$packages[].owner])
  | "SPDXRef-Package-\(.[0])") as $top
| {
  spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT",
  name: $name, documentNamespace: "https://kpipe.dev/spdx/\($name)-\($key)",
  comment: "Every file of the image but this one.",
  creationInfo: {created: $created, creators: ["Tool: kpipe-\($version)"]},
  packages: [$packages[] |
    if .owner == "kpipe" then own_package(.; "kpipe"; $version)
    elif .owner == "operator" then own_package(.; $name; $d.version)
    else debian_package(.; $release) end],
  files: ($files | map(file)),
  hasExtractedLicensingInfos: [$packages[] | select(.Package) | . as $p |
    own_names($p) | unique[] | {licenseId: ., extractedText:
      "See /usr/share/doc/\($p.owner)/copyright in the image."}],
  relationships: (
    [relation("SPDXRef-DOCUMENT"; "DESCRIBES"; $top)]
    + [$packages[] | package_id | select(. != $top) |
      relation($top; "DEPENDS_ON"; .)]
    + [$files[] | relation("SPDXRef-Package-\(.[1] | id)"; "CONTAINS";
      "SPDXRef-File-\(.[0] | id)")])}
