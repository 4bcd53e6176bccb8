import { namespaceLifecycle } from '../access/admission/namespace-lifecycle.ts';
import type { AdmissionPlugin } from '../registry/admission.ts';
import { Allocator } from '../registry/allocation/allocator.ts';
import { serviceAllocation } from '../registry/allocation/service-allocation.ts';
import { addressRange, portRange } from '../registry/allocation/value-range.ts';
import type { Storage } from '../storage/storage.ts';

/** Plugins that can be chosen by name, in the order in which they run by default. */
const plugins: Readonly<Record<string, (storage: Storage) => AdmissionPlugin>> = {
  NamespaceLifecycle: namespaceLifecycle,
};

export interface AdmissionChoice {
  readonly storage: Storage;
  /** Names in the order wanted; absent for all. */
  readonly names?: readonly string[];
  readonly serviceClusterIpRange: string;
  readonly serviceNodePortRange: string;
}

/** The chosen plugins, and behind them what gives services their addresses and ports: that is no choice, and comes last so that nothing is given out for a write that is refused. */
export function admissionChain(choice: AdmissionChoice): AdmissionPlugin[] {
  const { storage, names = Object.keys(plugins) } = choice;
  const chosen = names.map((name) => {
    const make = Object.hasOwn(plugins, name) ? plugins[name] : undefined;
    if (!make) throw new Error(`there is no admission plugin ${name}; there are ${Object.keys(plugins).join(', ')}`);
    return make(storage);
  });
  const clusterIPs = new Allocator(storage, 'serviceips', addressRange(choice.serviceClusterIpRange));
  const nodePorts = new Allocator(storage, 'servicenodeports', portRange(choice.serviceNodePortRange));
  return [...chosen, serviceAllocation({ clusterIPs, nodePorts })];
}
