import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '../../kinds/meta/api-error.ts';
import { negotiate } from './negotiate.ts';

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

  it('is pretty when the query says so in any spelling of true', () => {
    for (const query of ['pretty=true', 'pretty=1', 'pretty=True', 'a=b&pretty=t'])
      assert.equal(prettyFor(query), true, query);
    for (const query of ['', 'pretty', 'pretty=', 'pretty=false', 'pretty=0', 'pretty=yes'])
      assert.equal(prettyFor(query), false, query);
  });
});
