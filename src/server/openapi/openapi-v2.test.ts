import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kinds } from '../../kinds/index.ts';
import { refusals } from '../../kinds/testing/first-write.ts';
import type { JsonSchema } from './json-schema.ts';
import { writeOpenApiV2, type OperationV2 } from './openapi-v2.ts';
import { describedApi, valuesNamed } from './testing/described-api.ts';

const document = writeOpenApiV2(describedApi());
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

function definition(name: string): JsonSchema {
  const found = document.definitions[name];
  assert.ok(found, `there is no ${name}`);
  return found;
}

function property(type: string, name: string): JsonSchema {
  const found = definition(type).properties?.[name];
  assert.ok(found, `${type} has no ${name}`);
  return found;
}

function operationAt(path: string, method: string): OperationV2 {
  const found = document.paths[path]?.[method];
  assert.ok(found, `no ${method} at ${path}`);
  return found;
}

const core = 'io.k8s.api.core.v1';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

describe('types in OpenAPI 2', () => {
  it('are all there that something refers to', () => {
    const references = valuesNamed('$ref', document);
    assert.ok(references.length > 500);
    for (const { place, value } of references) {
      definition(String(value).replace('#/definitions/', ''));
      assert.match(String(value), /^#\/definitions\//, place);
    }
  });

  it('have a description, and so has every field', () => {
    for (const [name, { description, properties = {} }] of Object.entries(document.definitions)) {
      assert.ok(description, name);
      for (const [field, { description }] of Object.entries(properties)) assert.ok(description, `${name} ${field}`);
    }
  });

  it('say how clients merge lists', () => {
    const containers = property(`${core}.PodSpec`, 'containers');
    assert.equal(containers['x-kubernetes-patch-strategy'], 'merge');
    assert.equal(containers['x-kubernetes-patch-merge-key'], 'name');
    assert.equal(property(`${core}.ServiceSpec`, 'ports')['x-kubernetes-patch-merge-key'], 'port');
    assert.equal(property(`${core}.Container`, 'args')['x-kubernetes-patch-strategy'], undefined);
  });

  it('say how values are written', () => {
    assert.equal(property(`${core}.Secret`, 'data').additionalProperties?.format, 'byte');
    assert.equal(property(`${core}.ServicePort`, 'port').format, 'int32');
    assert.match(property(`${meta}.ObjectMeta`, 'creationTimestamp').$ref ?? '', /\.Time$/);
    assert.match(property(`${core}.ServicePort`, 'targetPort').$ref ?? '', /\.IntOrString$/);
    assert.equal(definition(`${meta}.Time`).format, 'date-time');
    assert.equal(definition('io.k8s.apimachinery.pkg.util.intstr.IntOrString').format, 'int-or-string');
    const limits = property(`${core}.ResourceRequirements`, 'limits');
    assert.match(limits.additionalProperties?.$ref ?? '', /\.Quantity$/);
  });

  it('require only what the server does not fill in', () => {
    assert.deepEqual(definition(`${core}.Container`).required, ['name', 'image']);
    assert.equal(definition(`${core}.Pod`).required, undefined);
    assert.deepEqual(definition(`${core}.PodSpec`).required, ['containers']);
  });
});

/** The object without the value at a place, for every place where the value is required, and what is required there. */
function* withoutRequired(type: JsonSchema, value: unknown): Generator<{ field: string; rest: unknown }> {
  if (type.$ref !== undefined) yield* withoutRequired(definition(type.$ref.replace('#/definitions/', '')), value);
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      for (const { field, rest } of withoutRequired(type.items ?? {}, item)) {
        yield { field: `[${i}].${field}`, rest: value.with(i, rest) };
      }
    }
  } else if (typeof value === 'object' && value !== null && type.properties) {
    const object = value as Record<string, unknown>;
    for (const field of type.required ?? []) {
      const { [field]: _removed, ...rest } = object;
      yield { field, rest };
    }
    for (const [name, member] of Object.entries(object)) {
      for (const { field, rest } of withoutRequired(type.properties[name] ?? {}, member)) {
        yield { field: `${name}.${field}`, rest: { ...object, [name]: rest } };
      }
    }
  }
}

describe('what a type requires', () => {
  for (const kind of kinds) {
    const { group, version } = kind;
    const type = definition(`io.k8s.api.${group.split('.')[0] || 'core'}.${version}.${kind.kind}`);
    it(`the server refuses to miss: ${kind.kind}`, () => {
      for (const { field, rest } of withoutRequired(type, kind.example)) {
        assert.notDeepEqual(refusals(kind, rest as object), [], field);
      }
    });
  }
});

describe('operations in OpenAPI 2', () => {
  it('have names of their own', () => {
    const names = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(names).size, names.length);
  });

  it('have a parameter for every part of their path that varies', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
      for (const { parameters } of Object.values(item)) {
        const described = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
        assert.deepEqual(described, inPath, path);
      }
    }
  });

  it('tell by their patch that a kind can be tried out, which kubectl looks for', () => {
    for (const { group, version, kind, resource, namespaced, verbs } of kinds) {
      if (!verbs.includes('patch')) continue;
      const prefix = group ? `/apis/${group}/${version}` : `/api/${version}`;
      const path = `${prefix}${namespaced ? '/namespaces/{namespace}' : ''}/${resource}/{name}`;
      const patch = operationAt(path, 'patch');
      assert.deepEqual(patch['x-kubernetes-group-version-kind'], { group, version, kind });
      assert.ok(patch.parameters.some(({ name, in: place }) => name === 'dryRun' && place === 'query'), path); // prettier-ignore
      assert.equal(patch['x-kubernetes-action'], 'patch');
    }
  });

  it('take and give what the server does', () => {
    const namespaced = '/api/v1/namespaces/{namespace}';
    const sent = (path: string, method: string): string | undefined =>
      operationAt(path, method).parameters.find((each) => each.in === 'body')?.schema?.$ref;
    const given = (path: string, method: string, code = '200'): JsonSchema | undefined =>
      operationAt(path, method).responses[code]?.schema;
    assert.match(sent(`${namespaced}/pods/{name}/binding`, 'post') ?? '', /core\.v1\.Binding$/);
    assert.match(given(`${namespaced}/bindings`, 'post')?.$ref ?? '', /meta\.v1\.Status$/);
    assert.match(given(`${namespaced}/pods/{name}`, 'delete')?.$ref ?? '', /core\.v1\.Pod$/);
    assert.match(given(`${namespaced}/secrets/{name}`, 'delete')?.$ref ?? '', /meta\.v1\.Status$/);
    assert.match(given(`${namespaced}/secrets`, 'delete')?.$ref ?? '', /core\.v1\.SecretList$/);
    assert.match(given('/api/v1/watch/pods', 'get')?.$ref ?? '', /meta\.v1\.WatchEvent$/);
    assert.equal(given(`${namespaced}/pods/{name}/log`, 'get')?.type, 'string');
    assert.equal(given(`${namespaced}/pods/{name}/exec`, 'post', 'default')?.type, 'string');
    const extensions = '/apis/extensions/v1beta1/namespaces/{namespace}';
    assert.match(sent(`${extensions}/replicationcontrollers/{name}/scale`, 'put') ?? '', /v1beta1\.Scale$/);
    assert.match(sent(`${extensions}/deployments/{name}/rollback`, 'post') ?? '', /v1beta1\.DeploymentRollback$/);
    assert.match(given('/apis/batch/v1/namespaces/{namespace}/jobs', 'post', '201')?.$ref ?? '', /batch\.v1\.Job$/);
  });

  it('give back what is answered and not stored', () => {
    const paths = {
      '/apis/authorization.k8s.io/v1/subjectaccessreviews': 'io.k8s.api.authorization.v1.SubjectAccessReview',
      '/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token': 'io.k8s.api.authentication.v1.TokenRequest',
    };
    for (const [path, type] of Object.entries(paths)) {
      const { parameters, responses } = operationAt(path, 'post');
      assert.equal(parameters.find((each) => each.in === 'body')?.schema?.$ref, `#/definitions/${type}`);
      assert.equal(responses['201']?.schema.$ref, `#/definitions/${type}`);
    }
  });
});
