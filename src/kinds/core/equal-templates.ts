import { equal } from '../../schema/equal.ts';
import { podTemplateSpec, type PodTemplateSpec } from './pod-template-spec.ts';

/** Whether two templates make the same pods, leaving out some labels. */
export function equalTemplates(a: PodTemplateSpec, b: PodTemplateSpec, exceptLabels: readonly string[] = []): boolean {
  return equal(podTemplateSpec, withoutLabels(a, exceptLabels), withoutLabels(b, exceptLabels));
}

/** The same template without some labels; the argument is left as it is. */
export function withoutLabels(template: PodTemplateSpec, names: readonly string[]): PodTemplateSpec {
  const { labels } = template.metadata;
  if (!labels || !names.some((name) => Object.hasOwn(labels, name))) return template;
  const kept = Object.entries(labels).filter(([name]) => !names.includes(name));
  return { ...template, metadata: { ...template.metadata, labels: Object.fromEntries(kept) } };
}
