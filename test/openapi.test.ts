import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partsOf } from '../src/server/openapi/api-description.ts';
import { writeOpenApiV2 } from '../src/server/openapi/openapi-v2.ts';
import { writeSwagger } from '../src/server/openapi/swagger.ts';
import { describedApi } from '../src/server/openapi/testing/described-api.ts';
import { operations } from './contract/operations.ts';

const api = describedApi();

test('every operation of the interface is described, with its parameters', () => {
  const { paths } = writeOpenApiV2(api);
  for (const { method, path, query } of operations()) {
    const described = paths[path]?.[method.toLowerCase()];
    assert.ok(described, `${method} ${path}`);
    const names = described.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    assert.deepEqual(query.filter((name) => !names.includes(name)), [], `${method} ${path}`); // prettier-ignore
  }
});

test('every operation of the interface is described to clients of its own time', () => {
  const documents = [...partsOf(api)].map(([part, each]) => writeSwagger(api, part, each));
  const described = new Set(
    documents.flatMap(({ apis }) =>
      apis.flatMap(({ path, operations }) => operations.map(({ method }) => `${method} ${path}`)),
    ),
  );
  const missing = operations().map(({ method, path }) => `${method} ${path}`).filter((each) => !described.has(each)); // prettier-ignore
  assert.deepEqual(missing, []);
});
