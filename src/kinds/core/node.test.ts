import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { FieldErrors } from '../../schema/field-errors.ts';
import { validate } from '../../schema/validate.ts';
import { binding } from './binding.ts';
import { node, type Node } from './node.ts';

function nodeOf(spec: object, status: object = {}, name: string | undefined = 'n1'): Node {
  const { value, mistakes } = decode(node.schema, { metadata: { name }, spec, status });
  assert.deepEqual(mistakes, []);
  return value;
}

function wrongUpdate(given: Node, old: Node): string[] {
  const errors = new FieldErrors();
  node.validateUpdate?.(given, old, errors);
  return errors.list.map(({ field, reason }) => `${field} ${reason}`);
}

test('the example is valid, and completing it twice changes nothing more', () => {
  const once = decode(node.schema, node.example).value;
  assert.deepEqual(validate(node.schema, once).list, []);
  assert.deepEqual(decode(node.schema, once).value, once);
});

test('a node is known outside by its name unless it says otherwise', () => {
  assert.equal(nodeOf({}).spec.externalID, 'n1');
  assert.equal(nodeOf({ externalID: 'x' }).spec.externalID, 'x');
});

test('a node whose name is yet to be made up must bring its externalID', () => {
  const { value } = decode(node.schema, { metadata: { generateName: 'n-' } });
  assert.deepEqual(
    validate(node.schema, value).list.map(({ field }) => field),
    ['spec.externalID'],
  );
});

test('all of the capacity can be allocated unless said otherwise', () => {
  const capacity = { cpu: '4', memory: '8Gi' };
  assert.deepEqual(nodeOf({}, { capacity }).status.allocatable, capacity);
  assert.deepEqual(nodeOf({}, { capacity, allocatable: { cpu: '3' } }).status.allocatable, { cpu: '3' });
});

test('the facts about a node are there even when they are not known', () => {
  const { daemonEndpoints, nodeInfo } = nodeOf({}).status;
  assert.deepEqual(daemonEndpoints, { kubeletEndpoint: { Port: 0 } });
  assert.equal(Object.keys(nodeInfo).length, 8);
  assert.equal(nodeInfo.kubeletVersion, '');
});

test('a node can be closed and opened, and given addresses for its pods once', () => {
  assert.deepEqual(wrongUpdate(nodeOf({ unschedulable: true }), nodeOf({})), []);
  assert.deepEqual(wrongUpdate(nodeOf({ podCIDR: '10.1.0.0/24' }), nodeOf({})), []);
  assert.deepEqual(wrongUpdate(nodeOf({ podCIDR: '10.2.0.0/24' }), nodeOf({ podCIDR: '10.1.0.0/24' })), [
    'spec.podCIDR FieldValueForbidden',
    'spec FieldValueForbidden',
  ]);
});

test('who a node is cannot be changed', () => {
  assert.deepEqual(wrongUpdate(nodeOf({ providerID: 'x' }), nodeOf({})), ['spec FieldValueForbidden']);
  assert.deepEqual(wrongUpdate(nodeOf({ externalID: 'x' }), nodeOf({})), ['spec FieldValueForbidden']);
});

test('an address is told once', () => {
  const address = { type: 'InternalIP', address: '10.0.0.1' };
  const given = nodeOf({}, { addresses: [address, { ...address, type: 'ExternalIP' }, address] });
  assert.deepEqual(wrongUpdate(given, nodeOf({})), ['status.addresses[2] FieldValueDuplicate']);
});

test('an exported node has no status unless it is to be exact', () => {
  const exported = (exact: boolean) => {
    const given = nodeOf({}, { capacity: { cpu: '4' } });
    node.prepareForExport?.(given, exact);
    return given.status.capacity;
  };
  assert.equal(exported(false), undefined);
  assert.deepEqual(exported(true), { cpu: '4' });
});

test('selectors see whether a node is closed', () => {
  const closed = (spec: object) => node.selectableFields['spec.unschedulable']?.(nodeOf(spec));
  assert.deepEqual([closed({}), closed({ unschedulable: true })], ['false', 'true']);
});

test('a binding names a node', () => {
  const wrong = (target: object | undefined) =>
    validate(binding, decode(binding, { target }).value).list.map(({ field, reason }) => `${field} ${reason}`);
  assert.deepEqual(wrong({ name: 'n1' }), []);
  assert.deepEqual(wrong({ kind: 'Node', name: 'n1' }), []);
  assert.deepEqual(wrong({ kind: 'Pod', name: 'n1' }), ['target.kind FieldValueNotSupported']);
  assert.deepEqual(wrong({ kind: 'Node' }), ['target.name FieldValueRequired']);
  assert.deepEqual(wrong(undefined), ['target FieldValueRequired']);
});
