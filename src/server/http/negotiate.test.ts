import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { listShapes, objectShapes, type ShapeName } from '../table/shape.ts';
import { negotiate, negotiateStream } from './negotiate.ts';

function mediaFor(accept: string | undefined): string {
  return negotiate(accept, new URLSearchParams()).media;
}

function prettyFor(query: string): boolean {
  return negotiate(undefined, new URLSearchParams(query)).pretty;
}

describe('negotiate', () => {
  const accepted: readonly [accept: string | undefined, media: string][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['application/yaml', 'yaml'],
    ['APPLICATION/YAML', 'yaml'],
    ['application/json;charset=utf-8', 'json'],
    ['application/json;stream=watch', 'json'],
    ['application/yaml, application/json', 'yaml'],
    ['application/json, application/yaml', 'json'],
    ['text/html, application/yaml;q=0.5', 'yaml'],
    ['application/yaml;q=0.5, application/json;q=0.9', 'json'],
    ['application/json;q=0, application/yaml', 'yaml'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    [
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
      'json',
    ],
    ['application/vnd.kubernetes.protobuf, application/yaml', 'yaml'],
    ['application/json; q=nonsense', 'json'],
  ];
  for (const [accept, media] of accepted) {
    it(`answers ${JSON.stringify(accept)} with ${media}`, () => assert.equal(mediaFor(accept), media));
  }

  for (const accept of [
    'application/*',
    'text/html',
    'application/xml',
    'application/json;q=0',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/vnd.kubernetes.protobuf',
    ',;=',
  ]) {
    it(`refuses ${JSON.stringify(accept)} with 406`, () => {
      assert.throws(
        () => mediaFor(accept),
        (error) => error instanceof ApiError && error.code === 406 && error.reason === 'NotAcceptable',
      );
    });
  }

  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const older = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
  const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
  const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
  const shaped: readonly [accept: string, shapes: readonly ShapeName[], shape: string | undefined][] = [
    [`${table},${older},application/json`, listShapes, 'Table v1'],
    [`application/json;as=Table;v=v2;g=meta.k8s.io,${older},application/json`, listShapes, 'Table v1beta1'],
    ['application/json;as=Table;v=v2;g=meta.k8s.io,application/json', listShapes, undefined],
    ['application/json;as=Table;v=v1;g=other.example.com,application/json', listShapes, undefined],
    ['application/json;as=Chair;v=v1;g=meta.k8s.io,*/*', listShapes, undefined],
    [`application/json,${table}`, listShapes, undefined],
    [`application/json;q=0.5,${table}`, listShapes, 'Table v1'],
    [`application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,${table}`, listShapes, 'Table v1'],
    [`${partialList},application/json`, listShapes, 'PartialObjectMetadataList v1'],
    [`${partial},application/json`, listShapes, undefined],
    [`${partial},application/json`, objectShapes, 'PartialObjectMetadata v1'],
    [`${table},application/json`, [], undefined],
    [`application/yaml;as=Table;v=v1;g=meta.k8s.io,application/json`, listShapes, undefined],
  ];
  for (const [accept, shapes, wanted] of shaped) {
    it(`turns ${accept} into ${wanted ?? 'nothing else'} where there is ${shapes.join(' and ') || 'no shape'}`, () => {
      const { shape, media } = negotiate(accept, new URLSearchParams(), shapes);
      assert.equal(shape && `${shape.as} ${shape.version}`, wanted);
      assert.equal(media, 'json');
    });
  }

  it('refuses a shape that cannot be given when the client takes nothing else', () => {
    assert.throws(
      () => negotiate(partial, new URLSearchParams(), listShapes),
      (error) => error instanceof ApiError && error.code === 406,
    );
  });

  it('gives a stream as JSON or not at all', () => {
    for (const accept of [undefined, '', '*/*', 'application/json;stream=watch', 'application/yaml, application/json'])
      assert.equal(negotiateStream(accept, objectShapes), undefined, accept);
    assert.deepEqual(negotiateStream(`${table},application/json`, objectShapes), { as: 'Table', version: 'v1' });
    for (const accept of ['application/yaml', 'text/html', 'application/*', 'application/vnd.kubernetes.protobuf'])
      assert.throws(() => negotiateStream(accept, objectShapes), { code: 406, reason: 'NotAcceptable' }, accept);
  });

  it('is pretty when the query says so in any spelling of true', () => {
    for (const query of ['pretty=true', 'pretty=1', 'pretty=True', 'a=b&pretty=t'])
      assert.equal(prettyFor(query), true, query);
    for (const query of ['', 'pretty', 'pretty=', 'pretty=false', 'pretty=0', 'pretty=yes'])
      assert.equal(prettyFor(query), false, query);
  });
});
