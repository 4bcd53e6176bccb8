import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { User } from '../../../registry/write.ts';
import { anonymousUser } from '../../authn/anonymous.ts';
import { user } from '../../testing/open-bench.ts';
import type { RequestAction } from '../request-action.ts';
import { abacAuthorizer, parsePolicies, readPolicyFile } from './abac-authorizer.ts';

const newer = (spec: object): string =>
  JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });

async function allows(line: string, who: User, action: Partial<RequestAction>): Promise<boolean> {
  const whole = { verb: 'get', path: '', group: '', resource: 'pods', namespace: 'one', ...action };
  return (await abacAuthorizer(parsePolicies(line, 'p.jsonl')).authorize(who, whole)).allowed;
}

const alice = user('alice', 'builders');
const list = { verb: 'list' };
const create = { verb: 'create' };
const version = { path: '/version', resource: undefined };

const cases: [what: string, line: string, who: User, action: Partial<RequestAction>, allowed: boolean][] = [
  ['a user of its own', '{"user":"alice"}', alice, create, true],
  ['another user', '{"user":"bob"}', alice, create, false],
  ['a group of its own', '{"group":"builders"}', alice, create, true],
  ['a user who is not in the group', '{"user":"alice","group":"others"}', alice, create, false],
  ['everybody known, when it names nobody', '{}', alice, create, true],
  ['nobody unknown, when it names nobody', '{}', anonymousUser, create, false],
  ['everybody known, as *', '{"user":"*"}', user('x'), create, true],
  ['nobody unknown, as *', '{"user":"*"}', anonymousUser, create, false],
  ['reading', '{"user":"alice","readonly":true}', alice, list, true],
  ['no writing, when it is for reading', '{"user":"alice","readonly":true}', alice, create, false],
  ['its resource', '{"user":"alice","resource":"pods"}', alice, create, true],
  ['parts of its resource', '{"user":"alice","resource":"pods"}', alice, { subresource: 'log' }, true],
  [
    'its resource in any group',
    '{"user":"alice","resource":"jobs"}',
    alice,
    { resource: 'jobs', group: 'batch' },
    true,
  ],
  ['no other resource', '{"user":"alice","resource":"pods"}', alice, { resource: 'secrets' }, false],
  ['its namespace', '{"user":"alice","namespace":"one"}', alice, create, true],
  ['no other namespace', '{"user":"alice","namespace":"two"}', alice, create, false],
  ['not the whole cluster', '{"user":"alice","namespace":"one"}', alice, { namespace: undefined }, false],
  ['paths, when it names nothing else', '{"user":"alice"}', alice, version, true],
  ['no paths, when it names a resource', '{"user":"alice","resource":"pods"}', alice, version, false],

  ['newer: its user', newer({ user: 'alice', resource: '*', namespace: '*', apiGroup: '*' }), alice, create, true],
  ['newer: nothing that it leaves out', newer({ user: 'alice' }), alice, create, false],
  ['newer: nobody, when it names nobody', newer({ resource: '*', namespace: '*' }), alice, create, false],
  ['newer: everybody known, as *', newer({ group: '*', resource: '*', namespace: '*' }), alice, create, true],
  ['newer: nobody unknown, as *', newer({ user: '*', resource: '*', namespace: '*' }), anonymousUser, create, false],
  [
    'newer: its group only',
    newer({ user: 'alice', resource: '*', namespace: '*', apiGroup: 'batch' }),
    alice,
    create,
    false,
  ],
  ['newer: its path', newer({ user: 'alice', nonResourcePath: '/version' }), alice, version, true],
  ['newer: paths that begin so', newer({ user: 'alice', nonResourcePath: '/ver*' }), alice, version, true],
  ['newer: no other path', newer({ user: 'alice', nonResourcePath: '/api' }), alice, version, false],
  ['newer: no resource by path', newer({ user: 'alice', nonResourcePath: '*' }), alice, create, false],
  ['newer: no path without one', newer({ user: 'alice', resource: '*' }), alice, { ...version, path: '' }, false],
];

describe('a policy', () => {
  for (const [what, line, who, action, allowed] of cases) {
    test(`allows ${what}`, async () => {
      assert.equal(await allows(line, who, action), allowed);
    });
  }
});

describe('a policy file', () => {
  test('allows what one of its lines allows; comments and empty lines say nothing', async () => {
    const content = '\uFEFF# who may do what\r\n\r\n{"user":"bob"}\r\n  {"user":"alice","resource":"pods"}\n';
    assert.equal(await allows(content, alice, create), true);
    assert.equal(await allows(content, alice, { resource: 'nodes' }), false);
    const { reason } = await abacAuthorizer(parsePolicies(content, 'p')).authorize(alice, {
      verb: 'get',
      path: '',
      resource: 'pods',
    });
    assert.match(reason, /policy 2/);
  });

  test('that is wrong is refused with the line', () => {
    for (const [line, why] of [
      ['{', /not JSON/],
      ['[]', /no JSON object/],
      ['{"users":"alice"}', /no field "users"/],
      ['{"user":5}', /user must be a string/],
      ['{"readonly":"true"}', /readonly must be a boolean/],
      ['{"apiVersion":"v1","kind":"Policy","spec":{}}', /apiVersion and kind/],
      ['{"kind":"Policy","spec":{}}', /apiVersion and kind/],
      [newer([]), /spec must be an object/],
      [newer({ resources: 'pods' }), /no field "resources"/],
    ] as const) {
      assert.throws(
        () => parsePolicies(`{"user":"alice"}\n${line}\n`, 'policies.jsonl'),
        (error: Error) => {
          assert.match(error.message, /^policies\.jsonl, line 2: /);
          assert.match(error.message, why);
          return true;
        },
      );
    }
  });

  test('that is not there is refused with its name', async () => {
    await assert.rejects(readPolicyFile('no-such-file.jsonl'), /policy file no-such-file\.jsonl cannot be read/);
  });
});

test('the rights that policies give are listed', async () => {
  const content =
    '{"user":"alice","resource":"pods","namespace":"one"}\n{"group":"builders","readonly":true}\n{"user":"bob"}';
  const { rules } = await abacAuthorizer(parsePolicies(content, 'p')).rightsOf(alice, 'one');
  assert.deepEqual(rules, [
    { verbs: ['*'], apiGroups: ['*'], resources: ['pods', 'pods/*'] },
    { verbs: ['get', 'list', 'watch'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['get', 'list', 'watch'], nonResourceURLs: ['*'] },
  ]);
});
