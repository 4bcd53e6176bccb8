import { ifThere } from '../../client/if-there.ts';
import type { Informer } from '../../client/informer.ts';
import { contentFinalizer, namespace as namespaceKind, type Namespace } from '../../kinds/core/namespace.ts';
import { pod as podKind } from '../../kinds/core/pod.ts';
import { kinds } from '../../kinds/index.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { Again, Controller, ControllerContext } from '../loop/controller.ts';
import { changesOf, type KeySource } from '../loop/key-source.ts';
import { contentOrder } from './content-order.ts';
import { emptyNamespace, type Pass } from './empty-namespace.ts';

/** When to look again for what waits for a finalizer. */
const finalizerMs = 15_000;
const shortestMs = 1000;

/** Removes deleted namespaces, once all that was in them is gone. */
export const namespaces: Controller = {
  name: 'namespace-controller',
  start(context) {
    const informer = context.informers.of(namespaceKind);
    const pods = context.informers.metadataOf(podKind);
    return {
      sources: [changesOf(informer), lastOf(pods)],
      async reconcile(name) {
        if (informer.get(name)?.metadata.deletionTimestamp === undefined) return;
        // Asked of the server itself: a copy that lags behind could have a new namespace of that name emptied.
        const namespace = await ifThere(context.client.get(namespaceKind, { name }));
        if (namespace?.metadata.deletionTimestamp === undefined) return;
        return finish(context, namespace);
      },
    };
  },
};

/** Pods are what a namespace waits for longest: when the last one is gone, the rest can be done at once. */
function lastOf(pods: Informer<ApiObject>): KeySource {
  return {
    synced: pods.synced,
    subscribe: (enqueue) =>
      pods.on({
        deleted({ metadata: { namespace = '' } }) {
          if (pods.list(namespace).length === 0) enqueue(namespace);
        },
      }),
  };
}

async function finish(context: ControllerContext, namespace: Namespace): Promise<Again | void> {
  const { client, clock, logger } = context;
  const { name = '' } = namespace.metadata;
  const finalizers = namespace.spec?.finalizers ?? [];
  if (finalizers.length === 0) return remove(context, namespace);
  // Somebody else has to act first; the namespace is seen again when that has happened.
  if (!finalizers.includes(contentFinalizer)) return;
  const pass = await emptyNamespace({ client, clock, namespace: name, kinds: contentOrder(kinds) });
  if (pass.remaining.length > 0) {
    logger.debug('a namespace waits for its content to go', { namespace: name, remaining: pass.remaining });
    return { after: estimate(pass) };
  }
  // Only a pass that finds nothing says that nothing has come in meanwhile.
  if (!pass.wasEmpty) return { after: 0 };
  const left = finalizers.filter((each) => each !== contentFinalizer);
  await client.finalize({ ...namespace, spec: { ...namespace.spec, finalizers: left } });
}

/** Half the longest grace and a little more: most things end sooner than they might. */
function estimate({ graceMs }: Pass): number {
  return graceMs > 0 ? graceMs / 2 + shortestMs : finalizerMs;
}

async function remove({ client }: ControllerContext, { metadata }: Namespace): Promise<void> {
  const { name = '', uid } = metadata;
  await ifThere(client.delete(namespaceKind, { name }, { preconditions: { uid } }));
}
