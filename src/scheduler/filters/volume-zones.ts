import type { Filter } from './filter.ts';

/** A volume can only be used where it is. Nodes that do not say where they are can use all, as in the reference. */
export const volumeZones: Filter = {
  name: 'volume-zones',
  concerns: (pod) => pod.volumeZones.length > 0,
  refusal({ volumeZones: zones }, { offer: { labels, zone } }) {
    if (zone === '') return undefined;
    const isElsewhere = zones.some(([label, value]) => (labels[label] ?? '') !== value);
    return isElsewhere ? 'in another zone than a volume' : undefined;
  },
};
