import type { Pod } from '../../src/kinds/core/pod.ts';

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly Pod[];
}

interface Change {
  readonly type: string;
  readonly object: Pod;
}

export type PodsByName = ReadonlyMap<string, Pod>;

/** Follows the pods of the default namespace until they are all as they should be, and gives them. */
export async function podsThat(plainUrl: string, isSo: (pods: PodsByName) => boolean): Promise<PodsByName> {
  const path = `${plainUrl}/api/v1/namespaces/default/pods`;
  const list = (await (await fetch(path)).json()) as Listed;
  const pods = new Map(list.items.map((pod) => [pod.metadata.name ?? '', pod]));
  if (isSo(pods)) return pods;
  const query = `watch=true&resourceVersion=${list.metadata.resourceVersion}`;
  const ended = new AbortController();
  try {
    const { body } = await fetch(`${path}?${query}`, { signal: ended.signal });
    let rest = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const { type, object } = JSON.parse(line) as Change;
        if (type === 'DELETED') pods.delete(object.metadata.name ?? '');
        else pods.set(object.metadata.name ?? '', object);
      }
      if (isSo(pods)) return pods;
    }
  } finally {
    ended.abort();
  }
  throw new Error('the watch ended before the pods were as they should be');
}

export function isReady({ status }: Pod): boolean {
  return status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
