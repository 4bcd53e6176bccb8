import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begun, refusals } from '../testing/first-write.ts';
import { limitRange } from './limit-range.ts';

const withItem = (item: object): object => ({ spec: { limits: [item] } });
const completed = (item: object): object => begun(limitRange, withItem(item)).spec!.limits[0]!;

test('the maximum becomes the default limit, and that the default request', () => {
  assert.deepEqual(completed({ type: 'Container', max: { cpu: '2' } }), {
    type: 'Container',
    max: { cpu: '2' },
    default: { cpu: '2' },
    defaultRequest: { cpu: '2' },
  });
});

test('the minimum becomes the default request only where no limit says more', () => {
  const item = completed({ type: 'Container', min: { cpu: '1', memory: '4Mi' }, default: { cpu: '3' } });
  assert.deepEqual(item, {
    type: 'Container',
    min: { cpu: '1', memory: '4Mi' },
    default: { cpu: '3' },
    defaultRequest: { cpu: '3', memory: '4Mi' },
  });
});

test('bounds of pods bring no defaults', () => {
  assert.deepEqual(completed({ type: 'Pod', max: { cpu: '2' } }), { type: 'Pod', max: { cpu: '2' } });
});

const at = 'spec.limits[0]';
const cases: [what: string, item: object, refused: string[]][] = [
  ['a qualified type', { type: 'example.com/thing', max: { cpu: '1' } }, []],
  ['an unknown type', { type: 'Galaxy' }, [`${at}.type Invalid`]],
  ['no type', {}, [`${at}.type Invalid`]],
  ['an unknown resource', { type: 'Pod', max: { bogus: '1' } }, [`${at}.max[bogus] Invalid`]],
  ['a qualified resource', { type: 'Pod', max: { 'example.com/gpu': '1' } }, []],
  ['anything with a slash', { type: 'Pod', max: { '/': '1', 'a b/c/d': '1' } }, []],
  ['what no container asks for', { type: 'Pod', max: { storage: '1' } }, [`${at}.max[storage] Invalid`]],
  ['storage of things of someone', { type: 'example.com/thing', max: { storage: '1' } }, []],
  ['a bad name for those', { type: 'example.com/thing', max: { '/': '1' } }, [`${at}.max[/] Invalid`]],
  [
    'defaults for pods',
    { type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } },
    [`${at}.default Forbidden`, `${at}.defaultRequest Forbidden`],
  ],
  [
    'a minimum over the maximum of a pod',
    { type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } },
    [`${at}.min[cpu] Invalid`],
  ],
  [
    'a minimum over the maximum of a container',
    { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } },
    [`${at}.min[cpu] Invalid`, `${at}.defaultRequest[cpu] Invalid`, `${at}.default[cpu] Invalid`],
  ],
  [
    'a default over the maximum',
    { type: 'Container', max: { cpu: '1' }, default: { cpu: '1001m' }, defaultRequest: { cpu: '1' } },
    [`${at}.default[cpu] Invalid`],
  ],
  [
    'a default request over the default',
    { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '2' } },
    [`${at}.defaultRequest[cpu] Invalid`],
  ],
  [
    'a ratio below one',
    { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } },
    [`${at}.maxLimitRequestRatio[cpu] Invalid`],
  ],
  [
    'a ratio that the bounds allow',
    { type: 'Pod', min: { cpu: '1' }, max: { cpu: '4' }, maxLimitRequestRatio: { cpu: '4' } },
    [],
  ],
  [
    'a ratio that the bounds never allow',
    { type: 'Pod', min: { cpu: '1' }, max: { cpu: '4' }, maxLimitRequestRatio: { cpu: '4001m' } },
    [`${at}.maxLimitRequestRatio[cpu] Invalid`],
  ],
  [
    'a ratio beside a minimum of 0',
    { type: 'Pod', min: { cpu: '0' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '9' } },
    [],
  ],
  [
    'a ratio beside a minimum below 0',
    { type: 'Pod', min: { cpu: '-1' }, max: { cpu: '1' }, maxLimitRequestRatio: { cpu: '1' } },
    [`${at}.maxLimitRequestRatio[cpu] Invalid`],
  ],
];
for (const [what, item, refused] of cases) {
  test(`${what} is ${refused.length > 0 ? 'refused' : 'taken'}`, () => {
    assert.deepEqual(refusals(limitRange, withItem(item)), refused);
  });
}

test('a type may stand only once', () => {
  const body = { spec: { limits: [{ type: 'Pod' }, { type: 'Container' }, { type: 'Pod' }] } };
  assert.deepEqual(refusals(limitRange, body), ['spec.limits[2].type Duplicate']);
});

test('a limit range without bounds is taken', () => {
  assert.deepEqual(refusals(limitRange, {}), []);
});

test('a limit range without a name is given one', () => {
  const { metadata } = begun(limitRange, { metadata: {} });
  assert.match(metadata.name ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(begun(limitRange, { metadata: { name: 'mine' } }).metadata.name, 'mine');
});
