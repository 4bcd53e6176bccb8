import type { AdmissionPlugin } from '../../registry/admission.ts';
import { refusal } from './refusal.ts';

/** The server's own name. What every cluster has it makes all the same, or it could not start. */
const server = 'system:apiserver';

/** Refuses every write, for trying out how clients take that. */
export function alwaysDeny(): AdmissionPlugin {
  return {
    name: 'AlwaysDeny',
    async mutate(attempt) {
      if (attempt.user.name !== server) throw refusal(attempt, 'this server is set up to refuse every change');
    },
  };
}
