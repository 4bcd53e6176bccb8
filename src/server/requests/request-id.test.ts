import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { seededIds } from '../../base/ids.ts';
import { requestIdOf } from './request-id.ts';

function idFor(headers: Record<string, string>): string {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return requestIdOf(request, seededIds(1));
}

describe('the id of a request', () => {
  const made = seededIds(1).uid();

  it('is the one that the client gave', () => {
    assert.equal(idFor({ 'x-request-id': 'trace-42.a:b' }), 'trace-42.a:b');
    assert.equal(idFor({ 'audit-id': 'abc' }), 'abc');
  });

  it('is a new one where the client gave none, or none that may stand in a header and a log', () => {
    for (const odd of ['', 'two words', 'a\tb', 'ü', '<script>', 'x'.repeat(129)]) {
      assert.equal(idFor({ 'x-request-id': odd }), made, JSON.stringify(odd));
    }
    assert.equal(idFor({}), made);
  });
});
