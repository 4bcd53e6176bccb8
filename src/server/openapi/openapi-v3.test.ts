import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kinds } from '../../kinds/index.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import { partsOf } from './api-description.ts';
import { writeOpenApiV2 } from './openapi-v2.ts';
import { writeOpenApiV3 } from './openapi-v3.ts';
import { describedApi, valuesNamed } from './testing/described-api.ts';

const api = describedApi();
const documents = new Map([...partsOf(api)].map(([part, operations]) => [part, writeOpenApiV3(api, operations)]));

describe('OpenAPI 3', () => {
  it('has a document for every version that is served, with its kinds', () => {
    for (const { prefix, group, version, kind } of kinds.flatMap((each) => servedVersions(each))) {
      const schemas = Object.values(documents.get(prefix.slice(1))?.components.schemas ?? {});
      const found = schemas.filter((schema) =>
        schema['x-kubernetes-group-version-kind']?.some(
          (each) => each.group === group && each.version === version && each.kind === kind.kind,
        ),
      );
      assert.equal(found.length, 1, `${prefix} ${kind.kind}`);
    }
  });

  it('has in each document the types that it refers to, and no others', () => {
    for (const [part, document] of documents) {
      const references = valuesNamed('$ref', document).map(({ value }) => String(value));
      const names = new Set(references.map((each) => each.replace('#/components/schemas/', '')));
      assert.deepEqual([...names].sort(), Object.keys(document.components.schemas), part);
    }
  });

  it('lets references stand alone', () => {
    for (const [part, document] of documents) {
      for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
        for (const [field, schema] of Object.entries(properties)) {
          assert.equal(schema.$ref, undefined, `${part} ${name} ${field}`);
          for (const each of schema.allOf ?? []) assert.deepEqual(Object.keys(each), ['$ref']);
        }
      }
    }
  });

  it('describes together the same operations as OpenAPI 2', () => {
    const methodsIn = (paths: Readonly<Record<string, object>>): string[] =>
      Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
    const inParts = [...documents.values()].flatMap(({ paths }) => methodsIn(paths));
    assert.deepEqual(inParts.sort(), methodsIn(writeOpenApiV2(api).paths).sort());
  });

  it('says what can be written in two ways', () => {
    const { schemas } = documents.get('api/v1')!.components;
    const port = schemas['io.k8s.apimachinery.pkg.util.intstr.IntOrString'];
    assert.deepEqual(port?.oneOf, [{ type: 'string' }, { type: 'integer' }]);
    assert.equal(port?.type, undefined);
  });

  it('takes patches by their media types', () => {
    const patch = documents.get('api/v1')?.paths['/api/v1/nodes/{name}']?.patch;
    assert.deepEqual(Object.keys(patch?.requestBody?.content ?? {}).sort(), [
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
    assert.ok(patch?.parameters.some(({ name, in: place }) => name === 'fieldValidation' && place === 'query'));
  });
});
