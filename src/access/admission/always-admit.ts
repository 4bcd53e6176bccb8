import type { AdmissionPlugin } from '../../registry/admission.ts';

/** Has nothing against anything: for a chain that must name a plugin. */
export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit' };
}
