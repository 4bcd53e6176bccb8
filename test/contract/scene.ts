import { SteppedClock } from '../../src/base/stepped-clock.ts';
import { startCluster } from '../../src/cluster.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { ApiObject } from '../../src/kinds/meta/object-meta.ts';
import { servedVersions } from '../../src/kinds/served-version.ts';
import { send, type AnswerBody, type ReceivedAnswer, type SentRequest } from '../../src/server/testing/http-client.ts';
import { openWatch, type WatchClient } from '../../src/server/testing/watch-client.ts';

/** A cluster in memory and the means to put objects into it. */
export interface Scene {
  readonly clock: SteppedClock;
  send(method: string, path: string, sent?: SentRequest): Promise<ReceivedAnswer>;
  watch(path: string): Promise<WatchClient>;
  /** A name that no object has yet. */
  freshName(): string;
  /** An object of the kind, ready to be sent: its example under another name. */
  example(resource: string, name: string): ApiObject;
  /** Creates the example and gives what the server made of it. */
  create(resource: string, name: string): Promise<AnswerBody>;
  /** The code that answers a create. */
  createdCode(resource: string): number;
  collectionPath(resource: string): string;
  close(): Promise<void>;
}

export const namespace = 'default';

export async function openScene(): Promise<Scene> {
  const clock = new SteppedClock();
  // The limit ranges and quotas among the examples are not to decide over the other examples.
  const cluster = await startCluster({ clock, insecurePort: 0, admissionControl: ['NamespaceLifecycle'] });
  const base = cluster.insecureUrl!;
  let names = 0;
  const scene: Scene = {
    clock,
    send: (method, path, sent) => send(base, method, path, sent),
    watch: (path) => openWatch(base, path),
    freshName: () => `n${++names}`,
    example(resource, name) {
      const example = structuredClone(kindOf(resource).example);
      example.metadata.name = name;
      return { ...example, metadata: { ...example.metadata, labels: { ...example.metadata.labels, made: name } } };
    },
    async create(resource, name) {
      const answer = await scene.send('POST', scene.collectionPath(resource), { body: scene.example(resource, name) });
      if (answer.code !== scene.createdCode(resource))
        throw new Error(`${resource} ${name} was not created: ${answer.text}`);
      return answer.json();
    },
    createdCode: (resource) => servedVersions(kindOf(resource))[0]!.createdCode,
    collectionPath(resource) {
      const kind = kindOf(resource);
      const { prefix } = servedVersions(kind)[0]!;
      return `${prefix}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${resource}`;
    },
    close: () => cluster.close(),
  };
  return scene;
}

function kindOf(resource: string): (typeof kinds)[number] {
  const kind = kinds.find((each) => each.resource === resource);
  if (!kind) throw new Error(`no kind has the path segment ${resource}`);
  return kind;
}
