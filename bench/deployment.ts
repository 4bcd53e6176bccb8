import type { Client } from '../src/client/client.ts';
import { deployment as deploymentKind, type Deployment } from '../src/kinds/extensions/deployment.ts';
import { podTemplate } from './pod.ts';

const namespace = 'default';
const longestMs = 10 * 60_000;

/** Resolves when the deployments that are made from now on say that so many pods are available, all of them together. */
export async function untilAvailable(client: Client, wanted: number): Promise<void> {
  const available = new Map<string, number>();
  const signal = AbortSignal.timeout(longestMs);
  const { resourceVersion } = await client.list(deploymentKind, { namespace, signal });
  await new Promise<void>((resolve, reject) => {
    const onEvent = ({ object: { metadata, status } }: { readonly object: Deployment }): void => {
      available.set(metadata.name ?? '', status?.availableReplicas ?? 0);
      if (sum(available.values()) >= wanted) resolve();
    };
    const fail = (): void => reject(new Error(`${sum(available.values())} of ${wanted} pods became available`));
    signal.addEventListener('abort', fail, { once: true });
    client.watch(deploymentKind, { namespace, resourceVersion, signal }, { onEvent, onEnd: fail }).catch(reject);
  });
}

/** Creates deployments of the same size. */
export async function createDeployments(client: Client, count: number, replicas: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const name = `storefront-${i}`;
    await client.create(deploymentKind, {
      kind: 'Deployment',
      apiVersion: 'extensions/v1beta1',
      metadata: { name, namespace },
      spec: { replicas, template: podTemplate(name) },
    });
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
