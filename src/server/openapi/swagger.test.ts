import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kinds } from '../../kinds/index.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import { partsOf } from './api-description.ts';
import { writeSwagger, writeSwaggerIndex } from './swagger.ts';
import { describedApi, valuesNamed } from './testing/described-api.ts';

const api = describedApi();
const parts = partsOf(api);
const documents = new Map([...parts].map(([part, operations]) => [part, writeSwagger(api, part, operations)]));

describe('Swagger 1.2', () => {
  it('lists every part', () => {
    const paths = writeSwaggerIndex([...parts.keys()]).apis.map(({ path }) => path);
    for (const path of ['/api/v1', '/apis/extensions/v1beta1', '/apis/batch/v1']) assert.ok(paths.includes(path), path);
  });

  it('has every kind as a model under the name that clients look for', () => {
    for (const { prefix, version, kind } of kinds.flatMap((each) => servedVersions(each))) {
      const models = documents.get(prefix.slice(1))?.models ?? {};
      const model = models[`${version}.${kind.kind}`];
      assert.equal(model?.id, `${version}.${kind.kind}`);
      assert.ok(model.properties.metadata?.$ref === 'v1.ObjectMeta', kind.kind);
      assert.ok(models[`${version}.${kind.kind}List`], kind.kind);
    }
  });

  it('has every model that it refers to', () => {
    for (const [part, { models, apis }] of documents) {
      for (const { value } of valuesNamed('$ref', models)) assert.ok(models[String(value)], `${part} ${String(value)}`);
      for (const { value } of [...valuesNamed('type', apis), ...valuesNamed('responseModel', apis)]) {
        assert.ok(!String(value).includes('.') || models[String(value)], `${part} ${String(value)}`);
      }
    }
  });

  it('says of every property which type it has, in words that clients of its time know', () => {
    const known = new Set(['string', 'integer', 'boolean', 'array', 'any']);
    for (const { models } of documents.values()) {
      for (const { id, properties } of Object.values(models)) {
        for (const [name, property] of Object.entries(properties)) {
          assert.ok(property.$ref ?? known.has(property.type ?? ''), `${id} ${name}`);
          assert.equal(property.type === 'array', property.items !== undefined, `${id} ${name}`);
          assert.ok(property.description, `${id} ${name}`);
        }
      }
    }
  });

  it('keeps apart what the reference keeps apart', () => {
    const { models } = documents.get('apis/extensions/v1beta1')!;
    const names = [
      'unversioned.Status',
      'unversioned.ListMeta',
      'json.WatchEvent',
      'v1beta1.LabelSelector',
      'v1.PodSpec',
    ];
    assert.deepEqual(names.filter((name) => !models[name]), []); // prettier-ignore
  });
});
