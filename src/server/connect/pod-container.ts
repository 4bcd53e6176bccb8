import type { Pod } from '../../kinds/core/pod.ts';
import { badRequest } from '../../kinds/meta/api-error.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { objectAddress, type Exchange } from '../exchange.ts';

/** The pod that the path names, or 404. */
export async function findPod(exchange: Exchange): Promise<Readonly<Pod>> {
  const stored = (await exchange.context.registry.get(objectAddress(exchange))) as StoredObject<Pod>;
  return stored.object;
}

/** The container that is meant: the one named, or the only one there is. */
export function chooseContainer(pod: Readonly<Pod>, named: string | null): string {
  const names = (pod.spec?.containers ?? []).map(({ name }) => name);
  const choice = names.join(', ');
  if (!named) {
    if (names.length === 1) return names[0]!;
    throw badRequest(`pod ${pod.metadata.name} has several containers; name one of them: ${choice}`);
  }
  if (names.includes(named)) return named;
  throw badRequest(`pod ${pod.metadata.name} has no container ${JSON.stringify(named)}; it has: ${choice}`);
}
