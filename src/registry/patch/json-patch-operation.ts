import { badRequest, tooLarge } from '../../kinds/meta/api-error.ts';
import { isJsonObject, member } from './json.ts';
import { parsePointer } from './json-pointer.ts';

const operationNames = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const;
type OperationName = (typeof operationNames)[number];

/** One step of a JSON patch, read and checked. Pointers are split into their tokens. */
export interface Operation {
  readonly op: OperationName;
  readonly path: readonly string[];
  /** For `move` and `copy`. */
  readonly from: readonly string[];
  /** For `add`, `replace` and `test`. */
  readonly value: unknown;
}

const mostOperations = 10_000;

/** Refuses what is no JSON patch (400), naming the operation that is wrong. */
export function readOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch is a list of operations');
  if (patch.length > mostOperations) {
    throw tooLarge(`a JSON patch has at most ${mostOperations} operations, this one has ${patch.length}`);
  }
  return patch.map(readOperation);
}

function readOperation(raw: unknown, position: number): Operation {
  const where = `operation ${position} of the JSON patch`;
  if (!isJsonObject(raw)) throw badRequest(`${where} is not an object`);
  const op = operationNames.find((name) => name === member(raw, 'op'));
  if (!op) throw badRequest(`${where} needs an "op" out of ${operationNames.join(', ')}`);
  const takesFrom = op === 'move' || op === 'copy';
  const takesValue = op === 'add' || op === 'replace' || op === 'test';
  if (takesValue && !Object.hasOwn(raw, 'value')) throw badRequest(`${where} (${op}) needs a "value"`);
  return {
    op,
    path: readPointer(member(raw, 'path'), `"path" of ${where}`),
    from: takesFrom ? readPointer(member(raw, 'from'), `"from" of ${where}`) : [],
    value: takesValue ? raw['value'] : undefined,
  };
}

function readPointer(raw: unknown, what: string): string[] {
  const tokens = typeof raw === 'string' ? parsePointer(raw) : undefined;
  if (!tokens) throw badRequest(`${what} must be a JSON pointer such as /metadata/labels/app`);
  return tokens;
}
