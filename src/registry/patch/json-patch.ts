import { tooLarge, type ApiError } from '../../kinds/meta/api-error.ts';
import {
  countValues,
  deepestJson,
  equalJson,
  isDeeperThan,
  isJsonObject,
  member,
  setMember,
  type JsonObject,
} from './json.ts';
import { readOperations, type Operation } from './json-patch-operation.ts';
import { formatPointer, listIndex } from './json-pointer.ts';
import { cannotApply } from './patch-refusal.ts';

/**
 * Applies a JSON patch (RFC 6902) to a copy: either every operation takes effect or none. As in the reference, removing a member
 * that is not there passes, and so does replacing one (it is added).
 */
export function applyJsonPatch(document: JsonObject, patch: unknown): JsonObject {
  const operations = readOperations(patch);
  const application = new Application(document);
  for (const operation of operations) application.apply(operation);
  return application.result();
}

// Copies of copies double in size; a few dozen operations could otherwise fill the memory.
const mostCopiedValues = 1_000_000;

interface Place {
  readonly container: JsonObject | unknown[];
  readonly token: string;
}

class Application {
  readonly #original: JsonObject;
  /** The document is the one member of a holder, so that the empty pointer is a pointer like any other. */
  readonly #holder: JsonObject;
  #copied = 0;

  constructor(document: JsonObject) {
    this.#original = document;
    this.#holder = { document: structuredClone(document) };
  }

  apply(operation: Operation): void {
    switch (operation.op) {
      case 'add':
        return this.#add(operation.path, structuredClone(operation.value));
      case 'replace':
        return this.#replace(operation.path, structuredClone(operation.value));
      case 'remove':
        return this.#remove(operation.path);
      case 'test':
        return this.#test(operation.path, operation.value);
      case 'move':
        return this.#move(operation.from, operation.path);
      case 'copy':
        return this.#copy(operation.from, operation.path);
    }
  }

  result(): JsonObject {
    const { document } = this.#holder;
    if (!isJsonObject(document)) throw this.#refuse([], 'the whole object can only be replaced by an object');
    checkDepth(document);
    return document;
  }

  #add(path: readonly string[], value: unknown): void {
    const { container, token } = this.#locate(path);
    if (!Array.isArray(container)) return setMember(container, token, value);
    const index = token === '-' ? container.length : listIndex(token);
    if (index === undefined || index > container.length) throw this.#refuse(path, positionsOf(container));
    container.splice(index, 0, value);
  }

  #replace(path: readonly string[], value: unknown): void {
    const { container, token } = this.#locate(path);
    if (!Array.isArray(container)) return setMember(container, token, value);
    container[this.#existingIndex(container, token, path)] = value;
  }

  #remove(path: readonly string[]): void {
    const { container, token } = this.#locate(path);
    if (!Array.isArray(container)) delete container[token];
    else container.splice(this.#existingIndex(container, token, path), 1);
  }

  #test(path: readonly string[], expected: unknown): void {
    const { container, token } = this.#locate(path);
    const actual = Array.isArray(container)
      ? container[this.#existingIndex(container, token, path)]
      : // A member that is not there counts as null, as in the reference.
        (member(container, token) ?? null);
    if (!equalJson(actual, expected))
      throw this.#refuse(path, 'the value there is not the one that the patch tests for');
  }

  #move(from: readonly string[], path: readonly string[]): void {
    const value = this.#existing(from);
    if (path.length > from.length && from.every((token, i) => token === path[i])) {
      throw this.#refuse(path, `${formatPointer(from) || 'the whole object'} cannot be moved into itself`);
    }
    this.#remove(from);
    this.#add(path, value);
  }

  #copy(from: readonly string[], path: readonly string[]): void {
    const value = this.#existing(from);
    checkDepth(value);
    this.#copied += countValues(value, mostCopiedValues - this.#copied);
    if (this.#copied > mostCopiedValues) throw tooLarge('the copies that this JSON patch makes are too large');
    this.#add(path, structuredClone(value));
  }

  #existing(path: readonly string[]): unknown {
    const { container, token } = this.#locate(path);
    if (Array.isArray(container)) return container[this.#existingIndex(container, token, path)];
    if (!Object.hasOwn(container, token)) throw this.#refuse(path, 'there is nothing at this place');
    return container[token];
  }

  #existingIndex(list: readonly unknown[], token: string, path: readonly string[]): number {
    const index = listIndex(token);
    if (index === undefined || index >= list.length) throw this.#refuse(path, positionsOf(list));
    return index;
  }

  /** The object or list that holds the place a pointer names. */
  #locate(path: readonly string[]): Place {
    let container: JsonObject | unknown[] = this.#holder;
    let token = 'document';
    for (let i = 0; i < path.length; i++) {
      const inner = this.#child(container, token);
      if (!isJsonObject(inner) && !Array.isArray(inner)) {
        throw this.#refuse(path, `there is no object or list at ${formatPointer(path.slice(0, i)) || 'the root'}`);
      }
      container = inner;
      token = path[i] as string;
    }
    return { container, token };
  }

  #child(container: JsonObject | unknown[], token: string): unknown {
    if (!Array.isArray(container)) return member(container, token);
    const index = listIndex(token);
    return index === undefined ? undefined : container[index];
  }

  #refuse(path: readonly string[], why: string): ApiError {
    return cannotApply(this.#original, formatPointer(path), why);
  }
}

/** Short operations can nest what they move and copy deeper and deeper. */
function checkDepth(value: unknown): void {
  if (isDeeperThan(value, deepestJson)) throw tooLarge(`this JSON patch nests values more than ${deepestJson} deep`);
}

function positionsOf(list: readonly unknown[]): string {
  return list.length === 0 ? 'the list is empty' : `the list has positions 0 to ${list.length - 1}`;
}
