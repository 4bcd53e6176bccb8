import type { Kind } from '../kinds/kind.ts';
import { isApiError } from '../kinds/meta/api-error.ts';
import type { ApiObject } from '../kinds/meta/object-meta.ts';
import type { Reader, Writer } from './client.ts';
import type { ObjectName } from './object-name.ts';

export interface ObjectChange<T extends ApiObject> {
  readonly kind: Kind<T>;
  readonly name: ObjectName;
  /** Which part is written; all but the status when absent. */
  readonly part?: 'status';
  /** Changes the object that it is given; `false` leaves everything as it is. Called again when others were faster. */
  change(object: T): boolean | void;
}

/** So many others in a row that were faster mean that something writes all the time. */
const attempts = 10;

/** Reads an object, changes it and writes it back, again while others come in between. Gives the object as it is then. */
export async function changeObject<T extends ApiObject>(
  client: Pick<Reader, 'get'> & Pick<Writer, 'update' | 'updateStatus'>,
  plan: ObjectChange<T>,
): Promise<T> {
  const { kind, name, part } = plan;
  for (let attempt = 1; ; attempt++) {
    const object = await client.get(kind, name);
    if (plan.change(object) === false) return object;
    try {
      return part === 'status' ? await client.updateStatus(kind, object) : await client.update(kind, object);
    } catch (error) {
      if (!isApiError(error, 409) || attempt === attempts) throw error;
    }
  }
}
