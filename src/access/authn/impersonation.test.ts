import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { PolicyRule } from '../../kinds/rbac/policy-rule.ts';
import type { User } from '../../registry/write.ts';
import { refusedWith } from '../admission/testing/open-admission.ts';
import { openBench, user } from '../testing/open-bench.ts';
import { impersonate } from './impersonation.ts';

const jane = user('jane');
const root = user('root', 'system:masters');

/** A request with these headers, as Node reads them from the wire. */
function request(...headers: [name: string, value: string][]): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.rawHeaders = headers.flat();
  return message;
}

async function taken(sender: User, headers: [string, string][], rules: PolicyRule[] = []): Promise<User> {
  const bench = await openBench();
  await bench.grant('impersonator', rules, jane);
  return impersonate(sender, request(...headers), bench.authorizer);
}

function right(resource: string, names: string[], group = ''): PolicyRule {
  return { verbs: ['impersonate'], apiGroups: [group], resources: [resource], resourceNames: names };
}

describe('a request', () => {
  test('without a wish is its sender', async () => {
    assert.equal(await taken(jane, [['Accept', 'application/json']]), jane);
  });

  test('is taken for whom it names, known like everybody', async () => {
    const headers: [string, string][] = [
      ['Impersonate-User', 'john'],
      ['Impersonate-Group', 'builders'],
      ['impersonate-group', 'painters'],
      ['Impersonate-Uid', '7'],
      ['Impersonate-Extra-Scopes', 'view'],
      ['Impersonate-Extra-Scopes', 'edit'],
      ['Impersonate-Extra-example.com%2Fteam', 'a'],
    ];
    assert.deepEqual(await taken(root, headers), {
      name: 'john',
      groups: ['builders', 'painters', 'system:authenticated'],
      uid: '7',
      extra: { scopes: ['view', 'edit'], 'example.com/team': ['a'] },
      sentBy: root,
    });
  });

  test('keeps nothing of its sender but who it was', async () => {
    assert.deepEqual(await taken(root, [['Impersonate-User', 'john']]), {
      name: 'john',
      groups: ['system:authenticated'],
      sentBy: root,
    });
  });

  test('for an account has the groups of accounts, and for nobody that of nobody known', async () => {
    const account = await taken(root, [['Impersonate-User', 'system:serviceaccount:one:robot']]);
    assert.deepEqual(account.groups, ['system:serviceaccounts', 'system:serviceaccounts:one', 'system:authenticated']);
    const nobody = await taken(root, [['Impersonate-User', 'system:anonymous']]);
    assert.deepEqual(nobody.groups, ['system:unauthenticated']);
  });

  test('names users in UTF-8', async () => {
    const name = Buffer.from('jürgen').toString('latin1');
    assert.equal((await taken(root, [['Impersonate-User', name]])).name, 'jürgen');
  });
});

describe('it takes a right for', () => {
  test('the user', async () => {
    const rules = [right('users', ['john'])];
    assert.equal((await taken(jane, [['Impersonate-User', 'john']], rules)).name, 'john');
    await assert.rejects(taken(jane, [['Impersonate-User', 'root']], rules), refusedWith(403, 'jane', 'impersonate'));
    await assert.rejects(taken(jane, [['Impersonate-User', 'system:serviceaccount:one:x']], rules), refusedWith(403));
  });

  test('each group', async () => {
    const rules = [right('users', ['john']), right('groups', ['builders'])];
    const wish: [string, string][] = [
      ['Impersonate-User', 'john'],
      ['Impersonate-Group', 'builders'],
    ];
    assert.equal((await taken(jane, wish, rules)).groups[0], 'builders');
    const more: [string, string][] = [...wish, ['Impersonate-Group', 'system:masters']];
    await assert.rejects(taken(jane, more, rules), refusedWith(403, 'groups'));
    const joined: [string, string][] = [...wish, ['Impersonate-Group', 'builders, system:masters']];
    await assert.rejects(taken(jane, joined, rules), refusedWith(403));
  });

  test('the account, in its namespace', async () => {
    const bench = await openBench();
    await bench.grantIn('one', 'impersonator', [right('serviceaccounts', ['robot'])], jane);
    const ask = async (name: string): Promise<User> =>
      impersonate(jane, request(['Impersonate-User', `system:serviceaccount:${name}`]), bench.authorizer);
    assert.ok(await ask('one:robot'));
    await assert.rejects(ask('two:robot'), refusedWith(403));
    await assert.rejects(ask('one:robot:x'), refusedWith(403));
  });

  test('the uid and every detail', async () => {
    const group = 'authentication.k8s.io';
    const rules = [right('users', ['john']), right('uids', ['7'], group), right('userextras/scopes', ['view'], group)];
    const john: [string, string] = ['Impersonate-User', 'john'];
    assert.ok(await taken(jane, [john, ['Impersonate-Uid', '7'], ['Impersonate-Extra-Scopes', 'view']], rules));
    await assert.rejects(taken(jane, [john, ['Impersonate-Uid', '8']], rules), refusedWith(403));
    await assert.rejects(taken(jane, [john, ['Impersonate-Extra-Scopes', 'edit']], rules), refusedWith(403));
    await assert.rejects(taken(jane, [john, ['Impersonate-Extra-Other', 'view']], rules), refusedWith(403));
  });
});

test('a wish that makes no sense is refused', async () => {
  const wishes: [string, string][][] = [
    [['Impersonate-Group', 'builders']],
    [['Impersonate-Uid', '7']],
    [['Impersonate-Extra-Scopes', 'view']],
    [['Impersonate-User', '']],
    [
      ['Impersonate-User', 'john'],
      ['Impersonate-User', 'root'],
    ],
    [
      ['Impersonate-User', 'john'],
      ['Impersonate-Extra-%zz', 'x'],
    ],
    [['Impersonate-Userr', 'john']],
  ];
  for (const wish of wishes) await assert.rejects(taken(root, wish), refusedWith(400), JSON.stringify(wish));
});

test('a detail can be called anything', async () => {
  const { extra } = await taken(root, [
    ['Impersonate-User', 'john'],
    ['Impersonate-Extra-__proto__', 'x'],
  ]);
  assert.deepEqual(Object.entries(extra ?? {}), [['__proto__', ['x']]]);
  assert.equal(Object.getPrototypeOf(extra), Object.prototype);
});
