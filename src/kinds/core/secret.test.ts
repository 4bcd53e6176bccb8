import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals, updateRefusals } from '../testing/first-write.ts';
import { secret, serviceAccountNameAnnotation } from './secret.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a secret without a type is Opaque', () => {
  assert.equal(begun(secret, {}).type, 'Opaque');
  assert.equal(begun(secret, { type: '' }).type, 'Opaque');
});

test('the size of a secret is that of its bytes, not of their base64', () => {
  const mebibyte = Buffer.alloc(1024 * 1024).toString('base64');
  assert.deepEqual(refusals(secret, { data: { a: mebibyte } }), []);
  assert.deepEqual(refusals(secret, { data: { a: mebibyte, b: 'eA==' } }), ['data TooLong']);
});

const cases: [what: string, body: object, refused: string[]][] = [
  ['any type of the user', { type: 'example.com/mine', data: { x: '' } }, []],
  ['a key in upper case', { data: { UPPER: 'eA==' } }, ['data[UPPER] Invalid']],
  ['dockercfg', { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('{"a":{}}') } }, []],
  ['dockercfg without its key', { type: 'kubernetes.io/dockercfg' }, ['data[.dockercfg] Required']],
  [
    'dockercfg that is no JSON',
    { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('{') } },
    ['data[.dockercfg] Invalid'],
  ],
  [
    'dockercfg that is a list',
    { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('[]') } },
    ['data[.dockercfg] Invalid'],
  ],
  [
    'dockerconfigjson without its key',
    { type: 'kubernetes.io/dockerconfigjson' },
    ['data[.dockerconfigjson] Required'],
  ],
  ['a name without a password', { type: 'kubernetes.io/basic-auth', data: { username: '' } }, []],
  [
    'neither a name nor a password',
    { type: 'kubernetes.io/basic-auth', data: { other: 'eA==' } },
    ['data[username] Required', 'data[password] Required'],
  ],
  ['a private key for SSH', { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': 'eA==' } }, []],
  [
    'an empty private key for SSH',
    { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
    ['data[ssh-privatekey] Required'],
  ],
  ['tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': 'Y3J0', 'tls.key': 'a2V5' } }, []],
  ['tls without its keys', { type: 'kubernetes.io/tls' }, ['data[tls.crt] Required', 'data[tls.key] Required']],
  [
    'a token that names no account',
    { type: 'kubernetes.io/service-account-token' },
    [`metadata.annotations[${serviceAccountNameAnnotation}] Required`],
  ],
  [
    'a token that names its account',
    {
      type: 'kubernetes.io/service-account-token',
      metadata: { name: 'one', annotations: { [serviceAccountNameAnnotation]: 'builder' } },
    },
    [],
  ],
];
for (const [what, body, refused] of cases) {
  test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () =>
    assert.deepEqual(refusals(secret, body), refused));
}

test('the type of a secret cannot be changed', () => {
  assert.deepEqual(updateRefusals(secret, {}, { type: 'example.com/other' }), ['type Invalid']);
  assert.deepEqual(updateRefusals(secret, {}, { data: { a: 'eA==' } }), []);
});
