import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommandQuery, readPortsQuery, writeCommandQuery, writePortsQuery } from './node-query.ts';

test('a node reads the command that the API server wrote', () => {
  const query = { stdin: true, stdout: false, stderr: true, tty: true, command: ['sh', '-c', 'echo "a&b" ü', ''] };
  const text = writeCommandQuery(query).toString();
  assert.deepEqual(readCommandQuery(new URLSearchParams(text)), query);
});

test('a node takes the names that kubelets have for streams, and those of the API', () => {
  const wanted = { stdin: true, stdout: true, stderr: false, tty: false, command: [] };
  assert.deepEqual(readCommandQuery(new URLSearchParams('input=1&output=1')), wanted);
  assert.deepEqual(readCommandQuery(new URLSearchParams('stdin=true&stdout=True&stderr=false&tty=0')), wanted);
});

test('ports come several times or as a list, and must be ports', () => {
  assert.deepEqual(readPortsQuery(writePortsQuery([80, 443])), [80, 443]);
  assert.deepEqual(readPortsQuery(new URLSearchParams('ports=80,443&ports=8080'), 'ports'), [80, 443, 8080]);
  assert.deepEqual(readPortsQuery(new URLSearchParams()), []);
  for (const wrong of ['0', '65536', 'http', '', '80,']) {
    assert.equal(readPortsQuery(new URLSearchParams({ port: wrong })), undefined, wrong);
  }
});
