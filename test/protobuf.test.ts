import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { binding } from '../src/kinds/core/binding.ts';
import { configMap } from '../src/kinds/core/config-map.ts';
import { pod } from '../src/kinds/core/pod.ts';
import { deploymentRollback } from '../src/kinds/extensions/deployment-rollback.ts';
import { autoscalingForm, extensionsForm } from '../src/kinds/extensions/scale-form.ts';
import { kinds } from '../src/kinds/index.ts';
import { deleteOptions } from '../src/kinds/meta/delete-options.ts';
import type { ApiObject } from '../src/kinds/meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../src/kinds/served-version.ts';
import { decode } from '../src/schema/decode.ts';
import { delimitedField, varintField } from '../src/schema/testing/wire-bytes.ts';
import type { AnswerBody, ReceivedAnswer } from '../src/server/testing/http-client.ts';
import { namespace, openScene, type Scene } from './contract/scene.ts';
import { copiedPod } from './protobuf/copied-pod.ts';
import { enveloped, inProtobuf, protobuf } from './protobuf/envelope.ts';
import { kubectlBodies } from './protobuf/kubectl-bodies.ts';

const limit = { timeout: 60_000 };
let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

const pods = `/api/v1/namespaces/${namespace}/pods`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const strictly = '?fieldValidation=Strict&dryRun=All';

function sendBytes(method: string, path: string, body: Buffer): Promise<ReceivedAnswer> {
  return scene.send(method, path, { body, headers: protobuf });
}

async function done(asked: Promise<ReceivedAnswer>): Promise<ReceivedAnswer> {
  const answer = await asked;
  assert.ok(answer.code === 200 || answer.code === 201, answer.text);
  return answer;
}

/** What was answered, but for the uid and the address, which every object has of its own. */
function answered({ code, text, json }: ReceivedAnswer): unknown {
  const { metadata, spec } = json() as AnswerBody & { spec?: { clusterIP?: string } };
  const own = [metadata.uid, spec?.clusterIP].filter((value) => value !== undefined);
  return { code, body: JSON.parse(own.reduce((rest, value) => rest.replaceAll(value, 'its own'), text)) as unknown };
}

describe('what kubectl sends in protobuf', limit, () => {
  for (const { command, path, base64, json } of kubectlBodies) {
    test(`means the same as JSON: ${command}`, async () => {
      const sent = await done(sendBytes('POST', path + strictly, Buffer.from(base64, 'base64')));
      const expected = await done(scene.send('POST', path + strictly, { body: json }));
      assert.deepEqual(answered(sent), answered(expected));
    });
  }

  test('means the same as JSON with nearly every field of a pod, and later fields are told by name', async () => {
    const { path, base64, json } = copiedPod;
    const body = Buffer.from(base64, 'base64');
    const sent = await done(sendBytes('POST', `${path}?dryRun=All`, body));
    const expected = await done(scene.send('POST', path + strictly, { body: json }));
    assert.deepEqual(answered(sent), answered(expected));
    const warnings = String(sent.headers['warning']);
    assert.match(warnings, /spec\.containers\[2\]\.terminationMessagePolicy/);
    assert.match(warnings, /spec\.shareProcessNamespace/);
    assert.equal(warnings.split('299 ').length, 3);
    assert.equal((await sendBytes('POST', path + strictly, body)).code, 400);
  });

  test('asks for tokens: kubectl create token acc --duration=1h', async () => {
    await done(
      scene.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: 'acc' } } }),
    );
    const body =
      'azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIdChAKABIAGgAiACoAMgA4AEIAEgMgkBwaBAoAEgAaACIA';
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/acc/token`;
    const { spec, status } = (await done(sendBytes('POST', path, Buffer.from(body, 'base64')))).json();
    assert.equal((spec as { expirationSeconds: number }).expirationSeconds, 3600);
    assert.match((status as { token: string }).token, /^ey/);
  });

  test('says how to delete: kubectl drain --disable-eviction --grace-period=0', async () => {
    const name = scene.freshName();
    const spec = { nodeName: 'n1', containers: [{ name: 'a', image: 'b' }] };
    await done(scene.send('POST', pods, { body: { metadata: { name }, spec } }));
    await done(scene.send('DELETE', `${pods}/${name}`));
    assert.equal((await scene.send('GET', `${pods}/${name}`)).code, 200);
    const body = Buffer.from('azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxICCAAaACIA', 'base64');
    await done(sendBytes('DELETE', `${pods}/${name}`, body));
    assert.equal((await scene.send('GET', `${pods}/${name}`)).code, 404);
  });

  test('is refused with the names of fields that are not there: kubectl create service externalname', async () => {
    const body =
      'azhzAAoNCgJ2MRIHU2VydmljZRJPCh0KAmVuEgAaACIAKgAyADgAQgBaCQoDYXBwEgJlbhIqEgkKA2FwcBICZW4aACIMRXh0ZXJuYWxOYW1lOgBCAFIDeC55WgBgAGgAGgIKABoAIgA=';
    const path = `/api/v1/namespaces/${namespace}/services?fieldValidation=Strict`;
    const answer = await sendBytes('POST', path, Buffer.from(body, 'base64'));
    assert.equal(answer.code, 400);
    assert.match(answer.json().message ?? '', /spec\.externalName$/);
  });
});

function pathOf({ prefix, kind }: ServedVersion): string {
  return `${prefix}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.resource}`;
}

function exampleOf({ kind, conversion }: ServedVersion, name: string): ApiObject {
  const example = decode(kind.schema, scene.example(kind.resource, name)).value;
  return conversion?.fromStored(example) ?? example;
}

describe('in protobuf', limit, () => {
  for (const served of kinds.flatMap(servedVersions)) {
    const { kind, apiVersion, schema } = served;
    test(`a ${kind.kind} of ${apiVersion} is created and replaced as in JSON`, async () => {
      const name = scene.freshName();
      const [path, body] = [pathOf(served), exampleOf(served, name)];
      const expected = await done(scene.send('POST', path + strictly, { body }));
      assert.deepEqual(
        answered(await done(sendBytes('POST', path + strictly, inProtobuf(schema, body)))),
        answered(expected),
      );

      const created = (await done(sendBytes('POST', path, inProtobuf(schema, body)))).json();
      const changed = { ...created, metadata: { ...created.metadata, labels: { changed: 'yes' } } };
      await done(sendBytes('PUT', `${path}/${name}?fieldValidation=Strict`, inProtobuf(schema, changed)));
      const { selfLink: _link, resourceVersion: before, ...metadata } = changed.metadata;
      const replaced = (await scene.send('GET', `${path}/${name}`)).json();
      const { selfLink: _path, resourceVersion: now, ...kept } = replaced.metadata;
      assert.deepEqual({ ...replaced, metadata: kept }, { ...changed, metadata });
      assert.notEqual(now, before);
    });
  }

  for (const { apiVersion, schema } of [extensionsForm, autoscalingForm]) {
    test(`a workload is scaled through ${apiVersion}`, async () => {
      const name = scene.freshName();
      await scene.create('deployments', name);
      const group = apiVersion === 'extensions/v1beta1' ? apiVersion : 'apps/v1';
      const path = `/apis/${group}/namespaces/${namespace}/deployments/${name}/scale`;
      const body = { kind: 'Scale', apiVersion, metadata: { name, namespace }, spec: { replicas: 7 } };
      const scale = (await done(sendBytes('PUT', path, inProtobuf(schema, body)))).json();
      assert.deepEqual(scale['spec'], { replicas: 7 });
    });
  }

  test('a status is written', async () => {
    const name = scene.freshName();
    const body = { ...scene.example('pods', name), status: { phase: 'Failed', startTime: '2030-01-01T00:00:00Z' } };
    await scene.create('pods', name);
    const identity = { kind: 'Pod', apiVersion: 'v1' };
    await done(sendBytes('PUT', `${pods}/${name}/status`, inProtobuf(pod.schema, { ...identity, ...body })));
    assert.deepEqual((await scene.send('GET', `${pods}/${name}`)).json()['status'], body.status);
  });

  test('a pod is bound', async () => {
    const name = scene.freshName();
    await scene.create('pods', name);
    const body = { kind: 'Binding', apiVersion: 'v1', metadata: { name }, target: { kind: 'Node', name: 'n1' } };
    await done(sendBytes('POST', `${pods}/${name}/binding`, inProtobuf(binding, body)));
    const { spec } = (await scene.send('GET', `${pods}/${name}`)).json();
    assert.equal((spec as { nodeName: string }).nodeName, 'n1');
  });

  test('a deployment is rolled back', async () => {
    const name = scene.freshName();
    await scene.create('deployments', name);
    const path = `/apis/extensions/v1beta1/namespaces/${namespace}/deployments/${name}`;
    const identity = { kind: 'DeploymentRollback', apiVersion: 'extensions/v1beta1' };
    const body = { ...identity, name, rollbackTo: { revision: 3 } };
    await done(sendBytes('POST', `${path}/rollback`, inProtobuf(deploymentRollback, body)));
    const { spec } = (await scene.send('GET', path)).json();
    assert.deepEqual((spec as { rollbackTo: object }).rollbackTo, { revision: 3 });
  });

  test('options of any group say how to delete one object or many', async () => {
    const name = scene.freshName();
    await scene.create('configmaps', name);
    const options = { kind: 'DeleteOptions', apiVersion: 'apps/v1', preconditions: { uid: 'another' } };
    const refused = await sendBytes('DELETE', `${configMaps}/${name}`, inProtobuf(deleteOptions, options));
    assert.equal(refused.code, 409, refused.text);
    const tried = { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] };
    await done(sendBytes('DELETE', configMaps, inProtobuf(deleteOptions, tried)));
    await done(scene.send('GET', `${configMaps}/${name}`));
    await done(sendBytes('DELETE', configMaps, enveloped({}, Buffer.alloc(0))));
    assert.equal((await scene.send('GET', `${configMaps}/${name}`)).code, 404);
  });
});

describe('a body in protobuf', limit, () => {
  const identity = { kind: 'ConfigMap', apiVersion: 'v1' };
  const named = (name: string): Buffer => delimitedField(1, delimitedField(1, name));
  const refusal = async (body: Buffer, method = 'POST', path = configMaps): Promise<string> => {
    const answer = await sendBytes(method, path, body);
    assert.equal(answer.code, 400, answer.text);
    assert.equal(answer.json().kind, 'Status');
    return answer.json().message ?? '';
  };

  test('need not say what it is', async () => {
    const name = scene.freshName();
    const answer = await done(sendBytes('POST', configMaps, enveloped({}, named(name))));
    assert.deepEqual([answer.json().kind, answer.json().metadata.name], ['ConfigMap', name]);
  });

  test('is answered with JSON, which those who prefer protobuf take as well', async () => {
    const headers = { ...protobuf, Accept: 'application/vnd.kubernetes.protobuf,application/json' };
    const body = enveloped(identity, named(scene.freshName()));
    const answer = await done(scene.send('POST', configMaps, { body, headers }));
    assert.equal(answer.headers['content-type'], 'application/json');
  });

  test('is refused when it is of another kind or version, as in JSON', async () => {
    assert.match(
      await refusal(enveloped({ ...identity, kind: 'Secret' }, named('x'))),
      /kind "Secret"; ConfigMap is wanted/,
    );
    assert.match(
      await refusal(enveloped({ ...identity, apiVersion: 'v2' }, named('x'))),
      /apiVersion "v2"; v1 is wanted/,
    );
    const options = enveloped(identity, Buffer.alloc(0));
    assert.match(await refusal(options, 'DELETE', `${configMaps}/x`), /DeleteOptions is wanted/);
  });

  test('is refused when it cannot be read', async () => {
    const whole = enveloped(identity, named('x'));
    assert.match(await refusal(whole.subarray(4)), /does not begin with "k8s"/);
    assert.match(await refusal(whole.subarray(0, 12)), /end before the value/);
    assert.match(await refusal(enveloped(identity, varintField(1, 5))), /metadata: it has wire type 0; 2 is wanted/);
    assert.match(await refusal(Buffer.from('{"kind":"ConfigMap"}')), /cannot be read/);
    assert.match(await refusal(Buffer.alloc(0)), /needs a body/);
    assert.match(await refusal(Buffer.concat([whole, delimitedField(3, 'gzip')])), /said to be "gzip"/);
    assert.match(
      await refusal(Buffer.concat([whole, delimitedField(4, 'application/json')])),
      /said to be "application\/json"/,
    );
    assert.match(await refusal(Buffer.concat([Buffer.from('k8s\0'), varintField(2, 5)])), /field 2 of the envelope/);
  });

  test('is refused where a value is out of range, as in JSON', async () => {
    const meta = delimitedField(1, delimitedField(1, 'x'), varintField(7, 2n ** 60n));
    assert.match(await refusal(enveloped(identity, meta)), /metadata\.generation: expected an integer of 64 bits/);
  });

  test('tells fields that nobody knows by their number', async () => {
    const message = Buffer.concat([named(scene.freshName()), delimitedField(77, 'x')]);
    const answer = await done(sendBytes('POST', configMaps, enveloped(identity, message)));
    assert.match(String(answer.headers['warning']), /unknown field \\?"#77/);
    assert.match(await refusal(enveloped(identity, message), 'POST', `${configMaps}?fieldValidation=Strict`), /#77/);
  });

  test('is no patch', async () => {
    const body = inProtobuf(configMap.schema, { kind: 'ConfigMap', apiVersion: 'v1' });
    assert.equal((await sendBytes('PATCH', `${configMaps}/x`, body)).code, 415);
  });
});
