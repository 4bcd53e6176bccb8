import type { Admission, AdmissionPlugin } from '../../registry/admission.ts';
import type { Storage } from '../../storage/storage.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

/** What plugins are made from. */
export interface PluginParts {
  readonly storage: Storage;
}

const factories: Readonly<Record<string, (parts: PluginParts) => AdmissionPlugin>> = {
  NamespaceLifecycle: ({ storage }) => namespaceLifecycle(storage),
};

/** Names for `--admission-control`. */
export const admissionPluginNames: readonly string[] = Object.keys(factories);

export const defaultAdmission: readonly string[] = ['NamespaceLifecycle'];

/** The chain in the order of the names; an unknown name is an error that lists the known ones. */
export function admissionChain(names: readonly string[], parts: PluginParts): Admission {
  return names.map((name) => {
    const factory = Object.hasOwn(factories, name) ? factories[name] : undefined;
    if (!factory) {
      throw new RangeError(`there is no admission plugin "${name}"; known are ${admissionPluginNames.join(', ')}`);
    }
    return factory(parts);
  });
}
