import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renameField } from './rename-field.ts';

const renamed = { 'spec.ref': 'spec.target', 'spec.cpu': 'spec.percentage', 'spec.cpu.percentage': 'spec.percentage' };

test('a renamed field and what lies in it get the new name', () => {
  assert.equal(renameField(renamed, 'spec.ref'), 'spec.target');
  assert.equal(renameField(renamed, 'spec.ref.name'), 'spec.target.name');
  assert.equal(renameField(renamed, 'spec.ref[0].name'), 'spec.target[0].name');
});

test('which item of a list is meant is kept', () => {
  const inLists = { 'spec.rules.paths.ref.name': 'spec.rules.paths.target.service.name', 'spec.ref': 'spec.target' };
  assert.equal(renameField(inLists, 'spec.rules[0].paths[12].ref.name'), 'spec.rules[0].paths[12].target.service.name');
  assert.equal(renameField(inLists, 'spec.rules[0].paths[1].host'), 'spec.rules[0].paths[1].host');
  assert.equal(renameField(inLists, 'metadata.labels[a.b/c.d]'), 'metadata.labels[a.b/c.d]');
  assert.equal(renameField(inLists, 'spec.ref.labels[a.b]'), 'spec.target.labels[a.b]');
});

test('the longest place wins', () => {
  assert.equal(renameField(renamed, 'spec.cpu.percentage'), 'spec.percentage');
  assert.equal(renameField(renamed, 'spec.cpu'), 'spec.percentage');
});

test('other fields keep their names, also where they only begin alike', () => {
  assert.equal(renameField(renamed, 'spec.reference'), 'spec.reference');
  assert.equal(renameField(renamed, 'spec'), 'spec');
  assert.equal(renameField(renamed, 'metadata.name'), 'metadata.name');
});
