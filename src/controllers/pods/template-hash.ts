import { equalTemplates, withoutLabels } from '../../kinds/core/equal-templates.ts';
import type { PodTemplateSpec } from '../../kinds/core/pod-template-spec.ts';

/** Tells the pods of one replica set of a deployment from those of the others. */
export const templateHashLabel = 'pod-template-hash';

/** Whether two templates make the same pods, whichever replica set they are for. */
export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return equalTemplates(a, b, [templateHashLabel]);
}

export function withoutTemplateHash(template: PodTemplateSpec): PodTemplateSpec {
  return withoutLabels(template, [templateHashLabel]);
}

/**
 * A short text for a template, the same for the same template. Two templates may share one: then a further `attempt` gives another.
 * Nobody may take it for the template's identity: templates are compared.
 */
export function hashTemplate(template: PodTemplateSpec, attempt = 0): string {
  const text = canonicalJson(withoutTemplateHash(template)) + (attempt > 0 ? `#${attempt}` : '');
  return String(fnv1a(Buffer.from(text)));
}

/** JSON with keys in order and without what is absent. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

function fnv1a(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
