import { namespace as namespaceKind, type Namespace } from '../../kinds/core/namespace.ts';
import { notFound } from '../../kinds/meta/api-error.ts';
import type { Attempt, AdmissionPlugin } from '../../registry/admission.ts';
import { objectKey } from '../../registry/address.ts';
import type { Storage } from '../../storage/storage.ts';
import { refusal } from './refusal.ts';

/** Namespaces that the cluster itself lives in. */
const protectedNamespaces = new Set(['default']);

/** Nothing is written into a namespace that is not there, nothing new into one that is on its way out, and `default` stays. */
export function namespaceLifecycle(storage: Storage): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    async mutate(attempt) {
      if (attempt.kind === namespaceKind) return guardNamespace(attempt);
      if (!attempt.kind.namespaced) return;
      const found = await storage.get(objectKey(namespaceKind, undefined, attempt.namespace));
      if (!found) throw notFound({ resource: 'namespaces', name: attempt.namespace });
      if (attempt.operation !== 'create') return;
      const { status } = JSON.parse(found.value.toString('utf8')) as Namespace;
      if (status?.phase !== 'Terminating') return;
      throw refusal(attempt, `namespace "${attempt.namespace}" is being deleted, so nothing new can be put there`);
    },
  };
}

function guardNamespace(attempt: Attempt): void {
  if (attempt.operation !== 'delete' || !protectedNamespaces.has(attempt.name)) return;
  throw refusal(attempt, 'this namespace must always be there');
}
