"""The rules of a bundle. See check for the pages that they name."""
import gzip
import json
import re
import urllib.parse

from bundles import (IMAGE, LABEL, MAIL, PREFIX, SEMVER, SUBDOMAIN, gvks,
                     owned_gvk, rule)

# ---- the format: bundle ----

@rule
def folders(b):
    for name in ('manifests', 'metadata'):
        if not b.names(name):
            yield name, 'is not a folder with files'


@rule
def annotations(b):
    wanted = {'mediatype.v1': 'registry+v1', 'manifests.v1': 'manifests/',
              'metadata.v1': 'metadata/', 'package.v1': None,
              'channels.v1': None}
    for name, value in wanted.items():
        have = b.annotations.get(f'{PREFIX}bundle.{name}')
        if not have or value not in (None, have):
            yield ('metadata/annotations.yaml',
                   f'{PREFIX}bundle.{name} is {have!r}, not {value or "set"}')


@rule
def default_channel(b):
    default = b.annotations.get(PREFIX + 'bundle.channel.default.v1')
    if default not in [None] + b.channels():
        yield ('metadata/annotations.yaml',
               f'the default channel {default!r} is not one of the channels')


@rule
def labels(b):
    text = b.text('Containerfile') or ''
    found = dict(re.findall(r'^LABEL (\S+?)=(\S+)$', text, re.M))
    if not re.search(r'^FROM scratch$', text, re.M):
        yield 'Containerfile', 'is not FROM scratch'
    if found != b.annotations:
        yield 'Containerfile', 'its labels are not those of annotations.yaml'
    for folder in ('manifests', 'metadata'):
        if not re.search(f'^(COPY|ADD) {folder} /{folder}/?$', text, re.M):
            yield 'Containerfile', f'does not copy {folder}'


@rule
def objects(b):
    for file, found in b.manifests.items():
        if len(found) != 1:
            yield file, f'has {len(found)} objects, not one'
        for o in found:
            if not (o.get('apiVersion') and o.get('kind')
                    and (o.get('metadata') or {}).get('name')):
                yield file, 'has no apiVersion, kind or name'


# manifests, "Packaging additional objects alongside an operator". NetworkPolicy
# came later, and is not on that page.
@rule
def kinds(b):
    supported = '''ClusterServiceVersion CustomResourceDefinition Secret
        ClusterRole ClusterRoleBinding ConfigMap ServiceAccount Service Role
        RoleBinding PrometheusRule ServiceMonitor PodDisruptionBudget
        PriorityClass VerticalPodAutoscaler ConsoleYAMLSample
        ConsoleQuickStart ConsoleCLIDownload ConsoleLink'''.split()
    for file, found in b.manifests.items():
        for o in found:
            if o.get('kind') not in supported:
                yield file, f'{o.get("kind")} is not a kind for bundles'


@rule
def one_csv(b):
    if len(b.of_kind('ClusterServiceVersion')) != 1:
        yield 'manifests', 'there is not one ClusterServiceVersion'


# api, internal/bundle.go: it has to fit into a ConfigMap.
@rule
def size(b):
    text = ''.join(b.text(file) for file in b.manifests)
    if len(gzip.compress(text.encode())) >= 1 << 20:
        yield 'manifests', 'is larger than 1 MiB, compressed'


# api, internal/removed_apis.go; the deprecation guide of Kubernetes
@rule
def removed_apis(b):
    for file, found in b.manifests.items():
        for o in found:
            if re.search('v[0-9]+(alpha|beta)[0-9]+$', str(
                    o.get('apiVersion'))) and o['kind'] != (
                        'ClusterServiceVersion'):
                yield file, f'{o["apiVersion"]} is not an API that stays'


# OLM takes these as objects of the operator's namespace.
@rule
def namespaces(b):
    for file, found in b.manifests.items():
        for o in found:
            if 'namespace' in (o.get('metadata') or {}):
                yield file, 'has a namespace, which OLM chooses'


# ---- the ClusterServiceVersion: api, internal/csv.go; manifests ----

@rule
def csv_version(b):
    if b.csv and b.csv.get('apiVersion') != 'operators.coreos.com/v1alpha1':
        yield b.csv_file, 'has another apiVersion'


@rule
def csv_name(b):
    name = str((b.csv.get('metadata') or {}).get('name'))
    if not (SUBDOMAIN.fullmatch(name) and LABEL.fullmatch(name)):
        yield b.csv_file, f'{name!r} is not a name and the value of a label'


# api, internal/good_practices.go
@rule
def csv_name_has_version(b):
    name = str((b.csv.get('metadata') or {}).get('name'))
    if name != f'{b.package}.v{b.spec.get("version")}':
        yield b.csv_file, f'{name!r} is not PACKAGE.vVERSION'


@rule
def version(b):
    if not SEMVER.fullmatch(str(b.spec.get('version'))):
        yield b.csv_file, 'spec.version is not a semantic version'


@rule
def min_kube_version(b):
    if not SEMVER.fullmatch(str(b.spec.get('minKubeVersion'))):
        yield b.csv_file, 'spec.minKubeVersion is not a semantic version'


@rule
def edges(b):
    name = (b.csv.get('metadata') or {}).get('name')
    old = [b.spec['replaces']] if 'replaces' in b.spec else []
    for other in old + (b.spec.get('skips') or []):
        if other == name or not LABEL.fullmatch(str(other)):
            yield b.csv_file, f'it cannot replace or skip {other!r}'


# groups, "TargetNamespaces and their relationship to InstallModes"
@rule
def install_modes(b):
    modes = b.spec.get('installModes') or []
    types = [m.get('type') for m in modes]
    if sorted(types) != ['AllNamespaces', 'MultiNamespace', 'OwnNamespace',
                         'SingleNamespace']:
        yield b.csv_file, f'spec.installModes are {types}, not each of the four'
    if not any(m.get('supported') is True for m in modes):
        yield b.csv_file, 'no install mode is supported'


@rule
def strategy(b):
    if (b.spec.get('install') or {}).get('strategy') != 'deployment':
        yield b.csv_file, 'spec.install.strategy is not "deployment"'
    if not b.deployments():
        yield b.csv_file, 'no Deployment is installed'


@rule
def selectors(b):
    for d, t in zip(b.deployments(), b.templates()):
        wanted = ((d.get('spec') or {}).get('selector') or {}).get(
            'matchLabels') or {}
        have = (t.get('metadata') or {}).get('labels') or {}
        if not wanted or not wanted.items() <= have.items():
            yield b.csv_file, f'{d.get("name")} does not select its Pods'


@rule
def accounts(b):
    known = {p.get('serviceAccountName') for p in b.permissions()}
    for t in b.templates():
        name = (t.get('spec') or {}).get('serviceAccountName')
        if name not in known:
            yield b.csv_file, f'the account {name} has no permissions'


@rule
def permissions(b):
    for p in b.permissions():
        for r in p.get('rules') or [{}]:
            if not (p.get('serviceAccountName') and r.get('verbs') and (
                    r.get('resources') or r.get('nonResourceURLs'))):
                yield b.csv_file, f'this is not a permission: {json.dumps(p)}'


# api, internal/bundle.go: OLM makes the account itself.
@rule
def no_account_twice(b):
    used = {(t.get('spec') or {}).get('serviceAccountName')
            for t in b.templates()}
    for file, o in b.of_kind('ServiceAccount'):
        if o['metadata']['name'] in used:
            yield file, 'is an account that the CSV has, too'


# operator-lifecycle-manager, pkg/controller/registry/resolver/steps.go: objects
# come before accounts; Kubernetes deletes a token without an account.
@rule
def no_tokens(b):
    for file, o in b.of_kind('Secret'):
        if o.get('type') == 'kubernetes.io/service-account-token':
            yield file, 'would be deleted before its account is there'


# groups; operator-sdk, docs: "Operator scope"
@rule
def watched_namespaces(b):
    supported = {m.get('type') for m in b.spec.get('installModes') or []
                 if m.get('supported')}
    paths = [((e.get('valueFrom') or {}).get('fieldRef') or {}).get('fieldPath')
             for c in b.containers() for e in c.get('env') or []
             if e.get('name') == 'WATCH_NAMESPACE']
    if supported & {'SingleNamespace', 'MultiNamespace'} and (
            "metadata.annotations['olm.targetNamespaces']" not in paths):
        yield b.csv_file, 'WATCH_NAMESPACE is not what the group says'


# ---- owned kinds ----

@rule
def owned_in_bundle(b):
    have = [gvk for _, gvk, _, _ in gvks(b)]
    for o in b.owned():
        if owned_gvk(o) not in have:
            yield b.csv_file, f'the owned {o.get("name")} is not in the bundle'
    for gvk in have:
        if have.count(gvk) > 1:
            yield 'manifests', f'{gvk} is there twice'


@rule
def bundle_is_owned(b):
    owned = {owned_gvk(o)[::2] for o in b.owned()}
    for file, gvk, _, _ in gvks(b):
        if gvk[::2] not in owned:
            yield file, f'{gvk} is not owned by the CSV'


@rule
def crd_names(b):
    for file, crd in b.of_kind('CustomResourceDefinition'):
        spec = crd.get('spec') or {}
        plural = (spec.get('names') or {}).get('plural')
        if crd['metadata']['name'] != f'{plural}.{spec.get("group")}':
            yield file, 'its name is not PLURAL.GROUP'
        if [v.get('storage') for v in spec.get('versions') or []].count(
                True) != 1:
            yield file, 'not one version is stored'


@rule
def descriptions(b):
    for o in b.owned():
        if not (o.get('displayName') and o.get('description')):
            yield b.csv_file, f'{o.get("name")} has no displayName, description'


@rule
def descriptors(b):
    schemas = {gvk: (v.get('schema') or {}).get('openAPIV3Schema') or {}
               for _, gvk, _, v in gvks(b)}
    for o in b.owned():
        root = schemas.get(owned_gvk(o), {}).get('properties') or {}
        for part in ('spec', 'status'):
            known = (root.get(part) or {}).get('properties') or {}
            for d in o.get(part + 'Descriptors') or []:
                if d.get('path', '').split('.')[0] not in known:
                    yield (b.csv_file,
                           f'{part}.{d.get("path")} is not in the schema')


@rule
def examples(b):
    text = ((b.csv.get('metadata') or {}).get('annotations') or {}).get(
        'alm-examples')
    try:
        found = [(*o['apiVersion'].split('/'), o['kind'])
                 for o in json.loads(text)]
    except (TypeError, ValueError, KeyError) as error:
        yield b.csv_file, f'alm-examples is not a list of objects: {error}'
        return
    owned = [owned_gvk(o) for o in b.owned()]
    for gvk in found:
        if gvk not in owned:
            yield b.csv_file, f'the example of {gvk} is not of an owned kind'
    for gvk in owned:
        if gvk[::2] not in [f[::2] for f in found]:
            yield b.csv_file, f'there is no example of {gvk}'


# ---- what a catalog shows: api, internal/operatorhub.go ----

@rule
def display_name(b):
    if not b.spec.get('displayName') or not b.spec.get('description'):
        yield b.csv_file, 'there is no displayName or description'


@rule
def provider(b):
    if not str((b.spec.get('provider') or {}).get('name') or '').strip():
        yield b.csv_file, 'spec.provider has no name'


@rule
def maintainers(b):
    for m in b.spec.get('maintainers') or []:
        if not m.get('name') or not MAIL.fullmatch(str(m.get('email'))):
            yield b.csv_file, f'{m} is not a name and an address of mail'


@rule
def links(b):
    for link in b.spec.get('links') or []:
        url = urllib.parse.urlparse(str(link.get('url')))
        if not link.get('name') or not (url.scheme and url.netloc):
            yield b.csv_file, f'{link} is not a name and a url'


@rule
def icon(b):
    icons = b.spec.get('icon') or []
    if len(icons) != 1 or not icons[0].get('base64data') or icons[0].get(
            'mediatype') not in ('image/gif', 'image/jpeg', 'image/png',
                                 'image/svg+xml'):
        yield b.csv_file, 'there is not one icon of a type that is shown'


@rule
def capabilities(b):
    value = ((b.csv.get('metadata') or {}).get('annotations') or {}).get(
        'capabilities')
    if value not in ('Basic Install', 'Seamless Upgrades', 'Full Lifecycle',
                     'Deep Insights', 'Auto Pilot'):
        yield b.csv_file, f'{value!r} is not a level of capabilities'


@rule
def categories(b):
    known = '''AI/Machine Learning, Application Runtime, Big Data,
        Cloud Provider, Developer Tools, Database, Integration & Delivery,
        Logging & Tracing, Modernization & Migration, Monitoring, Networking,
        OpenShift Optional, Security, Storage, Streaming & Messaging'''
    known = {k.strip() for k in known.split(',')}
    value = ((b.csv.get('metadata') or {}).get('annotations') or {}).get(
        'categories') or ''
    for category in value.split(','):
        if category.strip() not in known:
            yield b.csv_file, f'{category!r} is not a category'


# api, internal/annotations.go: names that OLM reads as they are written
@rule
def annotation_names(b):
    known = {n.lower(): n for n in (
        'olm.operatorGroup', 'olm.operatorNamespace', 'olm.targetNamespaces',
        'olm.providedAPIs', 'olm.skipRange')}
    for name in (b.csv.get('metadata') or {}).get('annotations') or {}:
        if known.get(name.lower(), name) != name:
            yield b.csv_file, f'{name} is spelled {known[name.lower()]}'
        if name == 'olm.properties':
            yield b.csv_file, 'olm.properties belongs to properties.yaml'


# api, internal/bundle.go
@rule
def related_images(b):
    images = [i.get('image') for i in b.spec.get('relatedImages') or []]
    for image in images:
        if not IMAGE.fullmatch(str(image)):
            yield b.csv_file, f'{image!r} does not name an image'
    for c in b.containers():
        if c.get('image') not in images:
            yield b.csv_file, f'{c.get("image")} is not in spec.relatedImages'


# ---- good practices: api, internal/good_practices.go and object.go ----

@rule
def resources(b):
    for c in b.containers():
        requests = (c.get('resources') or {}).get('requests') or {}
        if not {'cpu', 'memory'} <= requests.keys():
            yield b.csv_file, f'{c.get("name")} requests no cpu or memory'


@rule
def channel_names(b):
    for channel in b.channels():
        if not channel.startswith(('candidate', 'fast', 'stable')):
            yield ('metadata/annotations.yaml',
                   f'{channel} is not named candidate, fast or stable')


@rule
def no_crds_made(b):
    for p in b.permissions():
        for r in p.get('rules') or []:
            if 'apiextensions.k8s.io' in (r.get('apiGroups') or []) and (
                    {'create', 'patch', '*'} & set(r.get('verbs') or [])):
                yield b.csv_file, 'may create kinds, which is the task of OLM'


@rule
def disruption_budgets(b):
    for file, o in b.of_kind('PodDisruptionBudget'):
        spec = o.get('spec') or {}
        if str(spec.get('maxUnavailable')) in ('0', '0%') or (
                str(spec.get('minAvailable')) == '100%'):
            yield file, 'no node could be drained'
    for file, o in b.of_kind('PriorityClass'):
        if o.get('globalDefault'):
            yield file, 'is the default of the whole cluster'


# ---- tests/scorecard: operator-sdk, docs/testing-operators/scorecard ----

@rule
def scorecard(b):
    folder = b.annotations.get(PREFIX + 'test.config.v1')
    if not folder:
        return
    config = (b.load(folder + 'config.yaml') or [{}])[0]
    if (config.get('apiVersion'), config.get('kind')) != (
            'scorecard.operatorframework.io/v1alpha3', 'Configuration'):
        yield folder + 'config.yaml', 'is not a Configuration'
    for stage in config.get('stages') or []:
        for t in stage.get('tests') or []:
            if not (t.get('image') and t.get('entrypoint') and t.get('labels')):
                yield folder + 'config.yaml', f'{t} is not a test'
