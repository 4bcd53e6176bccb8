import type { FieldErrors } from '../../../schema/field-errors.ts';
import { dnsLabel } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import { validateAffinity } from './affinity-annotation.ts';

/** In the reference the host name of a pod and the part behind it are not yet fields but annotations. */
const hostnameAnnotation = 'pod.beta.kubernetes.io/hostname';
const subdomainAnnotation = 'pod.beta.kubernetes.io/subdomain';

/** Annotations that mean something to the cluster must be in order, on pods and on templates of pods. */
export function validatePodAnnotations(annotations: Record<string, string>, path: Path, errors: FieldErrors): void {
  validateAffinity(annotations, path, errors);
  for (const key of [hostnameAnnotation, subdomainAnnotation]) {
    const value = annotations[key];
    const wrong = value === undefined ? undefined : dnsLabel.check(value);
    if (wrong) errors.invalid(path, key, wrong);
  }
}
