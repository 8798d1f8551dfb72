"""The rules of a catalog and of what installs from it. See check."""
from bundles import IMAGE, owned_gvk, rule

# ---- the catalog ----

def catalog_of(b):
    file = f'catalog/{b.package}/catalog.yaml'
    return file, b.load(file)


def of_schema(b, schema):
    return [o for o in catalog_of(b)[1] if o.get('schema') == schema]


@rule
def catalog_schemas(b):
    file, found = catalog_of(b)
    names = [(o.get('schema'), o.get('package'), o.get('name')) for o in found]
    for name in names:
        if names.count(name) > 1 or not name[0]:
            yield file, f'{name} is there twice, or no schema'
    for schema, least, most in (('olm.package', 1, 1), ('olm.channel', 1, 99),
                                ('olm.bundle', 1, 999)):
        if not least <= len(of_schema(b, schema)) <= most:
            yield file, f'{schema} is there {len(of_schema(b, schema))} times'


@rule
def catalog_channels(b):
    file, _ = catalog_of(b)
    channels = {c.get('name'): c for c in of_schema(b, 'olm.channel')}
    for p in of_schema(b, 'olm.package'):
        if p.get('defaultChannel') not in channels or p.get('name') != b.package:
            yield file, f'{p.get("name")} has another name or default channel'
    for name, channel in channels.items():
        entries = [e.get('name') for e in channel.get('entries') or []]
        passed = {n for e in channel.get('entries') or []
                  for n in [e.get('replaces')] + (e.get('skips') or [])}
        if len(set(entries) - passed) != 1 or len(set(entries)) < len(entries):
            yield file, f'the channel {name} has not one head: {entries}'
        if name not in b.channels():
            yield file, f'the channel {name} is not one of the bundle'


@rule
def catalog_bundles(b):
    file, _ = catalog_of(b)
    entries = [e.get('name') for c in of_schema(b, 'olm.channel')
               for e in c.get('entries') or []]
    names = [o.get('name') for o in of_schema(b, 'olm.bundle')]
    if (b.csv.get('metadata') or {}).get('name') not in names:
        yield file, 'does not have this bundle'
    for o in of_schema(b, 'olm.bundle'):
        if o.get('name') not in entries or o.get('package') != b.package:
            yield file, f'{o.get("name")} is in no channel of {b.package}'
        for image in [o.get('image')] + [
                i.get('image') for i in o.get('relatedImages') or []]:
            if not IMAGE.fullmatch(str(image)):
                yield file, f'{image!r} does not name an image'


@rule
def catalog_properties(b):
    file, _ = catalog_of(b)
    for o in of_schema(b, 'olm.bundle'):
        properties = o.get('properties') or []
        packages = [p.get('value') for p in properties
                    if p.get('type') == 'olm.package']
        if packages != [{'packageName': b.package,
                         'version': b.spec.get('version')}]:
            yield file, f'{o.get("name")}: olm.package is {packages}'
        have = {(p['value'].get('group'), p['value'].get('version'),
                 p['value'].get('kind')) for p in properties
                if p.get('type') == 'olm.gvk'}
        if have != {owned_gvk(owned) for owned in b.owned()}:
            yield file, f'{o.get("name")}: olm.gvk is not what the CSV owns'


# ---- what installs it: olm-docs, content/en/docs/Concepts/crds ----

@rule
def subscription(b):
    group, source, wanted = ((b.load(f'install/{name}.yaml') or [{}])[0] for
                             name in ('operator_group', 'catalog_source',
                                      'subscription'))
    spec = wanted.get('spec') or {}
    if (spec.get('name'), spec.get('channel') in b.channels(),
            spec.get('source'), spec.get('sourceNamespace')) != (
                b.package, True, (source.get('metadata') or {}).get('name'),
                (source.get('metadata') or {}).get('namespace')):
        yield 'install/subscription.yaml', 'names something that is not there'
    if (group.get('metadata') or {}).get('namespace') != (
            wanted.get('metadata') or {}).get('namespace'):
        yield 'install/operator_group.yaml', 'is in another namespace'


@rule
def group_mode(b):
    group = (b.load('install/operator_group.yaml') or [{}])[0]
    namespace = (group.get('metadata') or {}).get('namespace')
    targets = (group.get('spec') or {}).get('targetNamespaces')
    mode = ('AllNamespaces' if not targets
            else 'OwnNamespace' if targets == [namespace]
            else 'SingleNamespace' if len(targets) == 1 else 'MultiNamespace')
    if not any(m.get('type') == mode and m.get('supported')
               for m in b.spec.get('installModes') or []):
        yield 'install/operator_group.yaml', f'{mode} is not supported'
