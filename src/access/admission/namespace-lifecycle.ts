import { namespace as namespaceKind, type Namespace } from '../../kinds/core/namespace.ts';
import { namespaceEnds, notFound } from '../../kinds/meta/api-error.ts';
import type { Attempt, AdmissionPlugin } from '../../registry/admission.ts';
import { objectKey } from '../../registry/address.ts';
import type { Entry, Storage } from '../../storage/storage.ts';
import { refusal, subjectOf } from './refusal.ts';

/** Namespaces that the cluster itself lives in. */
const protectedNamespaces = new Set(['default']);

const mostRemembered = 1000;

/** Nothing is written into a namespace that is not there, nothing new into one that is on its way out, and `default` stays. */
export function namespaceLifecycle(storage: Storage): AdmissionPlugin {
  const phases = new NamespacePhases();
  return {
    name: 'NamespaceLifecycle',
    async mutate(attempt) {
      if (attempt.kind === namespaceKind) return guardNamespace(attempt);
      if (!attempt.kind.namespaced) return;
      const found = await storage.get(objectKey(namespaceKind, undefined, attempt.namespace));
      if (!found) throw notFound({ resource: 'namespaces', name: attempt.namespace });
      if (!isNew(attempt)) return;
      if (!phases.isTerminating(found)) return;
      throw namespaceEnds(subjectOf(attempt), attempt.namespace);
    },
  };
}

/** Remembers what was read, by revision: every write into a namespace asks. */
class NamespacePhases {
  readonly #known = new Map<string, { readonly revision: number; readonly isTerminating: boolean }>();

  isTerminating({ key, revision, value }: Entry): boolean {
    const known = this.#known.get(key);
    if (known?.revision === revision) return known.isTerminating;
    const { status } = JSON.parse(value.toString('utf8')) as Namespace;
    const isTerminating = status?.phase === 'Terminating';
    if (this.#known.size >= mostRemembered) this.#known.clear();
    this.#known.set(key, { revision, isTerminating });
    return isTerminating;
  }
}

/** A binding is something new, too: a pod that is on its way out needs no node. */
function isNew({ operation, subresource }: Attempt): boolean {
  return operation === 'create' || subresource === 'binding';
}

function guardNamespace(attempt: Attempt): void {
  if (attempt.operation !== 'delete' || !protectedNamespaces.has(attempt.name)) return;
  throw refusal(attempt, 'this namespace must always be there');
}
