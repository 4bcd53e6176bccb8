import type { Storage } from '../../storage/storage.ts';

/** What happens before a call reaches the storage: another writer comes in between, or it fails by throwing. */
export type Disturbance = (call: keyof Storage, key: unknown, values: readonly unknown[]) => Promise<void> | void;

/** The same storage for somebody who is disturbed. */
export function disturbed(storage: Storage, disturb: Disturbance): Storage {
  return new Proxy(storage, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return async (...values: unknown[]): Promise<unknown> => {
        await disturb(name as keyof Storage, values[0], values);
        return member.apply(target, values) as unknown;
      };
    },
  });
}
