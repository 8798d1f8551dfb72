"""A bundle as it lies in a folder, and what its rules are made with."""
import functools
import os
import re

import yaml

# Those in C, where there are some, are ten times as fast.
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
DUMPER = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)
RULES = {}
SEMVER = re.compile(
    r'(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)'
    r'(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?')
LABEL = re.compile(r'[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?')
SUBDOMAIN = re.compile(
    r'(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?'
    r'(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
IMAGE = re.compile(
    r'([A-Za-z0-9.-]+(:[0-9]+)?/)?[a-z0-9]+([._/-]+[a-z0-9]+)*'
    r'(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[0-9a-f]{64})?')
MAIL = re.compile(r'[^@\s<>]+@[^@\s<>]+')
PREFIX = 'operators.operatorframework.io.'


def rule(function):
    """A rule yields (file, text); its name is that of the function."""
    RULES[function.__name__] = function
    return function


@functools.cache
def parse(text):
    """The objects in it, which no rule changes; [], if it is not YAML."""
    try:
        objects = list(yaml.load_all(text, LOADER))
        return objects if all(isinstance(o, dict) for o in objects) else []
    except yaml.YAMLError:
        return []


class Bundle:
    """A folder as it is: files of manifests, and what they hold."""

    def __init__(self, folder):
        self.folder = folder
        self.manifests = {}
        for name in self.names('manifests'):
            objects = self.load(f'manifests/{name}')
            self.manifests[f'manifests/{name}'] = objects
        annotations = self.load('metadata/annotations.yaml')
        self.annotations = (annotations or [{}])[0].get('annotations') or {}
        self.csv_file, self.csv = next(
            ((file, o) for file, objects in self.manifests.items()
             for o in objects if o.get('kind') == 'ClusterServiceVersion'),
            ('manifests', {}))
        self.spec = self.csv.get('spec') or {}
        self.install = (self.spec.get('install') or {}).get('spec') or {}
        self.package = self.annotations.get(PREFIX + 'bundle.package.v1')

    def names(self, folder):
        path = os.path.join(self.folder, folder)
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    def text(self, file):
        path = os.path.join(self.folder, file)
        if not os.path.isfile(path):
            return None
        with open(path, encoding='utf-8') as f:
            return f.read()

    def load(self, file):
        """The objects of a file; [], if it is missing or not YAML."""
        return parse(self.text(file) or '')

    def of_kind(self, kind):
        return [(file, o) for file, objects in self.manifests.items()
                for o in objects if o.get('kind') == kind]

    def deployments(self):
        return self.install.get('deployments') or []

    def templates(self):
        return [(d.get('spec') or {}).get('template') or {}
                for d in self.deployments()]

    def containers(self):
        return [c for t in self.templates()
                for c in (t.get('spec') or {}).get('containers') or []]

    def permissions(self):
        return [p for key in ('permissions', 'clusterPermissions')
                for p in self.install.get(key) or []]

    def owned(self):
        return (self.spec.get('customresourcedefinitions') or {}).get(
            'owned') or []

    def channels(self):
        return [c.strip() for c in str(self.annotations.get(
            PREFIX + 'bundle.channels.v1') or '').split(',') if c.strip()]


def gvks(b):
    """The kinds of the CRDs in the bundle, with the schema of each."""
    found = []
    for file, crd in b.of_kind('CustomResourceDefinition'):
        spec = crd.get('spec') or {}
        for version in spec.get('versions') or []:
            found.append((
                file, (spec.get('group'), version.get('name'),
                       (spec.get('names') or {}).get('kind')),
                crd['metadata']['name'], version))
    return found


def owned_gvk(owned):
    return (str(owned.get('name')).partition('.')[2], owned.get('version'),
            owned.get('kind'))
