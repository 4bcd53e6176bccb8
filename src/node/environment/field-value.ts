import type { Pod } from '../../kinds/core/pod.ts';

/** What is known of a pod only where it runs. */
export interface PodWhereabouts {
  readonly podIP: string;
  readonly hostIP: string;
}

/** The value of a field that a pod asks for; nothing for fields that cannot be had. */
export function fieldValue(pod: Pod, fieldPath: string, place: PodWhereabouts): string | undefined {
  const { metadata, spec } = pod;
  switch (fieldPath) {
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.labels':
      return mapText(metadata.labels);
    case 'metadata.annotations':
      return mapText(metadata.annotations);
    case 'spec.nodeName':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.podIP':
      return place.podIP;
    case 'status.hostIP':
      return place.hostIP;
    default:
      return undefined;
  }
}

/** A line `key="value"` for each entry, sorted by key. */
function mapText(map: Readonly<Record<string, string>> = {}): string {
  const keys = Object.keys(map).sort();
  return keys.map((key) => `${key}=${JSON.stringify(map[key])}`).join('\n');
}
