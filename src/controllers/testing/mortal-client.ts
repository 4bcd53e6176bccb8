import { deferred } from '../../base/deferred.ts';
import type { Client } from '../../client/client.ts';
import { serviceUnavailable } from '../../kinds/meta/api-error.ts';

const writes: ReadonlySet<string> = new Set([
  'create',
  'update',
  'updateStatus',
  'updateScale',
  'finalize',
  'bind',
  'patch',
  'delete',
  'deleteCollection',
]);

export interface MortalClient {
  readonly client: Client;
  readonly isKilled: boolean;
  /** Resolves when a write was not let through any more. */
  readonly killed: Promise<void>;
}

/** A client whose writes reach the server so many times and no more, as when its process is killed in the middle of its work. */
export function mortalClient(client: Client, lives: number): MortalClient {
  const killed = deferred<void>();
  let left = lives;
  const mortal = new Proxy(client, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...args: readonly unknown[]): unknown => {
        if (!writes.has(String(name)) || left-- > 0) return Reflect.apply(method, target, args);
        killed.resolve();
        return Promise.reject(serviceUnavailable('the process was killed'));
      };
    },
  });
  return {
    client: mortal,
    get isKilled() {
      return left < 0;
    },
    killed: killed.promise,
  };
}
