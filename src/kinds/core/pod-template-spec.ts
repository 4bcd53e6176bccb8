import { object, one, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { templateMeta } from '../meta/object-meta.ts';
import { validatePodAnnotations } from './pod/pod-annotations.ts';
import { podSpec, type PodSpec } from './pod/pod-spec.ts';

const podTemplateSpecFields = {
  metadata: one(templateMeta, 'Labels and annotations of the pods.').mandatory().defaultsTo({}),
  spec: one(podSpec, 'What the pods are to be.')
    .mandatory()
    .defaultsTo({} as PodSpec),
};
export interface PodTemplateSpec extends FieldsOf<typeof podTemplateSpecFields> {}
/** What a controller makes pods from. */
export const podTemplateSpec: ObjectSchema<PodTemplateSpec> = object(
  'v1.PodTemplateSpec',
  'What pods are made from.',
  podTemplateSpecFields,
  { validate: validateTemplate },
);

function validateTemplate({ metadata }: PodTemplateSpec, path: Path, errors: FieldErrors): void {
  validatePodAnnotations(metadata.annotations ?? {}, path.at('metadata').at('annotations'), errors);
}

/** How the controller that owns a template uses it. */
export interface TemplateUse {
  /** Whether the controller's selector picks pods with these labels. */
  selects(labels: Readonly<Record<string, string>>): boolean;
  readonly replicas: number;
}

/**
 * What a controller that keeps a number of pods running demands of its template besides the template's own rules: pods that it
 * selects, that are always restarted, and that can share their disks when there are several.
 */
export function validateControllerTemplate(
  template: PodTemplateSpec,
  use: TemplateUse,
  path: Path,
  errors: FieldErrors,
): void {
  const { metadata, spec } = template;
  if (!use.selects(metadata.labels ?? {})) {
    errors.invalid(path.at('metadata').at('labels'), metadata.labels ?? {}, 'the selector does not pick these labels');
  }
  const place = path.at('spec');
  if (use.replicas > 1) validateSharedDisks(spec, place, errors);
  if (spec.restartPolicy !== 'Always') {
    errors.notSupported(place.at('restartPolicy'), spec.restartPolicy, ['Always']);
  }
}

/** A disk of Google Compute Engine can be on several machines only when nobody writes to it. */
function validateSharedDisks({ volumes = [] }: PodSpec, path: Path, errors: FieldErrors): void {
  volumes.forEach(({ gcePersistentDisk }, i) => {
    if (!gcePersistentDisk || gcePersistentDisk.readOnly) return;
    const place = path.at('volumes').index(i).at('gcePersistentDisk').at('readOnly');
    errors.invalid(place, false, 'must be true when there is more than one replica');
  });
}
