import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, test } from 'node:test';

/** From the bottom to the top: a room imports from itself and from rooms before it. Rooms in one row do not see each other. */
const rows: readonly (readonly string[])[] = [
  ['base'],
  ['schema'],
  ['kinds'],
  ['storage'],
  ['registry'],
  ['access'],
  ['streams'],
  ['server'],
  ['client'],
  ['controllers', 'scheduler', 'node'],
  ['cluster'],
  ['testing'],
  ['index'],
  ['cli'],
];

/** Rooms that see less than their place in the order would let them. Their tests see more: they need a real server to run against. */
const narrow: Readonly<Record<string, readonly string[]>> = {
  storage: ['base'],
  controllers: ['base', 'kinds', 'streams', 'client'],
  scheduler: ['base', 'kinds', 'streams', 'client'],
  node: ['base', 'kinds', 'streams', 'client'],
};

/** `src/cluster.ts` and what belongs to it directly under src/ are rooms of one or two files. */
const singleFiles: Readonly<Record<string, string>> = { 'cluster-options': 'cluster', version: 'base' };

interface Import {
  readonly file: string;
  readonly line: number;
  readonly target: string;
}

function roomOf(path: string): string {
  const [, room = ''] = path.split(sep);
  const name = room.replace(/(\.test)?\.ts$/, '');
  return singleFiles[name] ?? name;
}

function mayImport(from: string, to: string): boolean {
  return from !== to && narrow[from] ? narrow[from].includes(to) : standsBefore(from, to);
}

function standsBefore(from: string, to: string): boolean {
  if (from === to) return true;
  const [fromRow, toRow] = [from, to].map((room) => rows.findIndex((row) => row.includes(room)));
  return fromRow !== undefined && toRow !== undefined && toRow >= 0 && toRow < fromRow;
}

const importStatement = /^\s*(?:import|export)\b[^'"`;]*?from\s*['"](\.[^'"]+)['"]|\bimport\s*\(\s*['"](\.[^'"]+)['"]\s*\)|^\s*import\s*['"](\.[^'"]+)['"]/gm; // prettier-ignore

function importsIn(file: string, source: string): Import[] {
  return [...source.matchAll(importStatement)].map((match) => {
    const path = match[1] ?? match[2] ?? match[3] ?? '';
    const line = source.slice(0, match.index).split('\n').length;
    return { file, line, target: normalize(join(dirname(file), path)) };
  });
}

function faultsIn(file: string, source: string): string[] {
  const isTest = file.endsWith('.test.ts') || file.split(sep).includes('testing');
  const check = isTest ? standsBefore : mayImport;
  return importsIn(file, source)
    .filter(({ target }) => !check(roomOf(file), roomOf(target)))
    .map(({ line, target }) => `${file}:${line} imports ${target}`);
}

function sources(): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('src', path));
}

describe('the rooms of src', () => {
  test('are all in the order', () => {
    const known = new Set(rows.flat());
    assert.deepEqual([...new Set(sources().map(roomOf))].filter((room) => !known.has(room)), []); // prettier-ignore
  });

  test('import only from rooms before them', () => {
    const faults = sources().flatMap((file) => faultsIn(file, readFileSync(file, 'utf8')));
    assert.deepEqual(faults, []);
  });
});

describe('the check itself', () => {
  test('finds every form of import', () => {
    const source = [
      `import { a } from '../server/a.ts';`,
      `import type { b } from '../server/b.ts';`,
      `import {\n  c,\n} from '../server/c.ts';`,
      `export { d } from '../server/d.ts';`,
      `import '../server/e.ts';`,
      `const f = await import('../server/f.ts');`,
      `import { fine } from '../base/fine.ts';`,
    ].join('\n');
    const faults = faultsIn('src/registry/x.ts', source);
    assert.deepEqual(
      faults,
      [1, 2, 3, 6, 7, 8].map((line, index) => `src/registry/x.ts:${line} imports src/server/${'abcdef'[index]}.ts`),
    );
  });

  test('lets the tests of a narrow room see what comes before it', () => {
    const source = `import { a } from '../registry/a.ts';`;
    assert.deepEqual(faultsIn('src/controllers/x.test.ts', source), []);
    assert.deepEqual(faultsIn('src/controllers/x.ts', source), ['src/controllers/x.ts:1 imports src/registry/a.ts']);
  });

  test('knows the narrow rooms', () => {
    assert.equal(mayImport('storage', 'kinds'), false);
    assert.equal(mayImport('kinds', 'storage'), false);
    assert.equal(mayImport('registry', 'storage'), true);
    assert.equal(mayImport('controllers', 'registry'), false);
    assert.equal(mayImport('controllers', 'scheduler'), false);
    assert.equal(mayImport('cluster', 'controllers'), true);
    assert.equal(mayImport('base', 'schema'), false);
    assert.equal(mayImport('cli', 'nowhere'), false);
  });
});
