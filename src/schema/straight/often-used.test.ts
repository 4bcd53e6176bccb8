import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { OftenUsed } from './often-used.ts';

const often = 200;

test('a function is made for what is used often, once', () => {
  let made = 0;
  const functions = new OftenUsed((key: { name: string }) => {
    made++;
    return () => key.name;
  });
  const [used, rare] = [{ name: 'used' }, { name: 'rare' }];
  assert.equal(functions.of(used), undefined);
  for (let i = 0; i < often; i++) functions.of(used);
  assert.equal(functions.of(used)?.(), 'used');
  assert.equal(functions.of(rare), undefined);
  assert.equal(made, 1);
});

test('an error in making one is not hidden', () => {
  const functions = new OftenUsed((): never => {
    throw new TypeError('no');
  });
  const key = {};
  assert.throws(() => {
    for (let i = 0; i < often; i++) functions.of(key);
  }, TypeError);
});

test('where functions cannot be made from text, types are read the long way', async () => {
  const program = `
    const { decode } = await import('./decode.js');
    const { object, string } = await import('./builders.js');
    const type = object('Thing', 'A thing.', { text: string('Text.') });
    let value;
    for (let i = 0; i < ${often}; i++) ({ value } = decode(type, { text: 'x' }));
    console.log(JSON.stringify(value));
  `;
  const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: new URL('..', import.meta.url) });
  assert.equal(stdout, '{"text":"x"}\n');
});
