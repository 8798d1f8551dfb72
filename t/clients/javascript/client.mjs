// The official JavaScript client: what a test or an operator does with it, a
// line for each step, the same on every API server. The first step that fails
// ends it with 1.
//
//	client.mjs KUBECONFIG USER
import assert from 'node:assert/strict';
import * as k8s from '@kubernetes/client-node';

const namespace = 'javascript';
const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const review = config.makeApiClient(k8s.AuthenticationV1Api);
const custom = config.makeApiClient(k8s.CustomObjectsApi);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);

const configMap = (name, more) => ({ metadata: { name, ...more }, data: { a: '1' } });

// Nothing waits longer.
const patience = 60_000;

// within: the promise, or a failure when it takes too long
async function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: too late`)), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// Events: a list that can be waited for
class Events {
  seen = [];
  #changed = () => {};

  add(text) {
    this.seen.push(text);
    this.#changed();
  }

  async are(...want) {
    await within(want.join(' '), (async () => {
      while (this.seen.length < want.length) {
        await new Promise((resolve) => (this.#changed = resolve));
      }
    })());
    assert.deepEqual(this.seen, want);
  }
}

// refused: it fails with this code, and a Status with this reason
async function refused(code, reason, promise) {
  await assert.rejects(promise, (error) => {
    assert.equal(error.code, code);
    const status = typeof error.body === 'string' ? JSON.parse(error.body) : error.body;
    assert.equal(status.reason, reason);
    return true;
  });
}

const patched = async (type, body, more) => (await core.patchNamespacedConfigMap(
  { name: 'one', namespace, body, ...more },
  k8s.setHeaderOptions('Content-Type', type))).data;

const watched = `/api/v1/namespaces/${namespace}/configmaps`;

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.javascript.example.com' },
  spec: {
    group: 'javascript.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{
      name: 'v1',
      served: true,
      storage: true,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: { size: { type: 'integer', minimum: 0, _default: 1 } },
            },
            status: { type: 'object', properties: { size: { type: 'integer' } } },
          },
        },
      },
    }],
  },
};
const widget = (name, spec) => ({
  apiVersion: 'javascript.example.com/v1',
  kind: 'Widget',
  metadata: { name, namespace },
  spec,
});
const resource = {
  group: 'javascript.example.com', version: 'v1', namespace, plural: 'widgets',
};

const steps = {
  async 'version'() {
    const { major } = await config.makeApiClient(k8s.VersionApi).getCode();
    assert.equal(major, '1');
  },

  async 'who am I'() {
    const { status } = await review.createSelfSubjectReview({ body: {} });
    assert.equal(status.userInfo.username, process.argv[3]);
  },

  async 'create, read, list'() {
    await core.createNamespace({ body: { metadata: { name: namespace } } });
    const made = await core.createNamespacedConfigMap(
      { namespace, body: configMap('one', { labels: { app: 'x' } }) });
    assert.ok(made.metadata.creationTimestamp instanceof Date);
    await core.createNamespacedConfigMap({ namespace, body: configMap('two') });
    await refused(409, 'AlreadyExists',
      core.createNamespacedConfigMap({ namespace, body: configMap('one') }));
    const { items } = await core.listNamespacedConfigMap(
      { namespace, labelSelector: 'app=x' });
    assert.deepEqual(items.map((item) => item.metadata.uid), [made.metadata.uid]);
  },

  async 'replace'() {
    const old = await core.readNamespacedConfigMap({ name: 'one', namespace });
    const body = { ...old, data: { a: '2' } };
    const now = await core.replaceNamespacedConfigMap({ name: 'one', namespace, body });
    assert.equal(now.data.a, '2');
    await refused(409, 'Conflict',
      core.replaceNamespacedConfigMap({ name: 'one', namespace, body }));
  },

  async 'pages'() {
    const names = [];
    let _continue;
    do {
      const page = await core.listNamespacedConfigMap(
        { namespace, limit: 1, fieldSelector: 'metadata.name!=kube-root-ca.crt', _continue });
      names.push(...page.items.map((item) => item.metadata.name));
      _continue = page.metadata._continue;
    } while (_continue);
    assert.deepEqual(names, ['one', 'two']);
  },

  async 'patches'() {
    const type = k8s.PatchStrategy;
    assert.deepEqual(await patched(type.JsonPatch,
      [{ op: 'replace', path: '/data', value: { b: '3' } }]), { b: '3' });
    await refused(422, 'Invalid',
      patched(type.JsonPatch, [{ op: 'test', path: '/data/b', value: '4' }]));
    assert.deepEqual(await patched(type.MergePatch, { data: { b: null, c: '4' } }),
      { c: '4' });
    assert.deepEqual(await patched(type.StrategicMergePatch, { data: { d: '5' } }),
      { c: '4', d: '5' });
    const apply = { apiVersion: 'v1', kind: 'ConfigMap', data: { d: '6' } };
    await refused(409, 'Conflict',
      patched(type.ServerSideApply, apply, { fieldManager: 'me' }));
    assert.deepEqual(
      await patched(type.ServerSideApply, apply, { fieldManager: 'me', force: true }),
      { c: '4', d: '6' });
  },

  async 'watch'() {
    const events = new Events();
    const { metadata: { resourceVersion } } =
      await core.listNamespacedConfigMap({ namespace });
    let ended;
    const end = new Promise((resolve) => (ended = resolve));
    const request = await new k8s.Watch(config).watch(
      watched, { resourceVersion },
      (type, object) => events.add(`${type} ${object.metadata.name}`), ended);
    await core.createNamespacedConfigMap({ namespace, body: configMap('w') });
    await core.replaceNamespacedConfigMap(
      { name: 'w', namespace, body: { ...configMap('w'), data: {} } });
    await core.deleteNamespacedConfigMap({ name: 'w', namespace });
    await events.are('ADDED w', 'MODIFIED w', 'DELETED w');
    request.abort();
    await within('the end of the watch', end);
  },

  async 'informer'() {
    const events = new Events();
    const informer = k8s.makeInformer(config, watched,
      () => core.listNamespacedConfigMap({ namespace }));
    for (const event of ['add', 'update', 'delete']) {
      informer.on(event, ({ metadata: { name } }) => {
        if (name === 'i') {
          events.add(event);
        }
      });
    }
    informer.on('error', (error) => events.add(`error ${error}`));
    await informer.start();
    await core.createNamespacedConfigMap({ namespace, body: configMap('i') });
    await events.are('add');
    assert.equal(informer.get('i', namespace).data.a, '1');
    await core.replaceNamespacedConfigMap(
      { name: 'i', namespace, body: { ...configMap('i'), data: { a: '2' } } });
    await core.deleteNamespacedConfigMap({ name: 'i', namespace });
    await events.are('add', 'update', 'delete');
    assert.equal(informer.get('i', namespace), undefined);
    await informer.stop();
  },

  async 'a CRD'() {
    const events = new Events();
    const request = await new k8s.Watch(config).watch(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {},
      (_, { metadata, status }) => {
        const established = status?.conditions?.find((c) => c.type === 'Established');
        if (metadata.name === widgets.metadata.name && established?.status === 'True' &&
            events.seen.length === 0) {
          events.add('Established');
        }
      }, () => {});
    await objects.create(widgets);
    await events.are('Established');
    request.abort();
  },

  async 'custom resources'() {
    await refused(422, 'Invalid', objects.create(widget('bad', { size: -1 })));
    const one = await objects.create(widget('one', {}));
    assert.equal(one.metadata.generation, 1);
    one.spec = { size: 2 };
    assert.equal((await objects.replace(one)).metadata.generation, 2);
    const { status } = await custom.patchNamespacedCustomObjectStatus({
      ...resource, name: 'one',
      body: [{ op: 'add', path: '/status', value: { size: 2 } }],
    });
    assert.deepEqual(status, { size: 2 });
    const applied = await objects.patch(widget('two', { size: 3 }), undefined, undefined,
      'me', true, k8s.PatchStrategy.ServerSideApply);
    assert.equal(applied.metadata.managedFields[0].manager, 'me');
    const { items } = await custom.listNamespacedCustomObject(resource);
    assert.deepEqual(items.map((item) => item.spec), [{ size: 2 }, { size: 3 }]);
  },

  async 'scale'() {
    const labels = { app: 'x' };
    await apps.createNamespacedDeployment({ namespace, body: {
      metadata: { name: 'd' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        },
      },
    } });
    const scale = await apps.patchNamespacedDeploymentScale(
      { name: 'd', namespace, body: { spec: { replicas: 3 } } },
      k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch));
    assert.equal(scale.spec.replicas, 3);
    assert.equal(scale.status.selector, 'app=x');
  },

  async 'a time with microseconds'() {
    const { eventTime } = await core.createNamespacedEvent({ namespace, body: {
      metadata: { name: 'e' },
      involvedObject: { kind: 'ConfigMap', name: 'one', namespace },
      action: 'Testing', reason: 'Test', type: 'Normal',
      reportingComponent: 'example.com/test', reportingInstance: 'one',
      eventTime: new k8s.V1MicroTime('2026-01-02T03:04:05.678Z'),
    } });
    assert.equal(String(eventTime), '2026-01-02T03:04:05.678000Z');
  },

  async 'delete'() {
    await core.deleteNamespacedConfigMap({ name: 'two', namespace });
    await refused(404, 'NotFound',
      core.readNamespacedConfigMap({ name: 'two', namespace }));
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'app=x' });
    await refused(404, 'NotFound',
      core.readNamespacedConfigMap({ name: 'one', namespace }));
    await objects.delete(widgets);
    const { status } = await core.deleteNamespace({ name: namespace });
    assert.equal(status.phase ?? status, 'Terminating');
  },
};

for (const [name, step] of Object.entries(steps)) {
  try {
    await within(name, step());
  } catch (error) {
    console.error(`${name}: ${error.stack ?? error}`);
    process.exit(1);
  }
  console.log(name);
}
process.exit(0);
