import type { ObjectName } from '../client/object-name.ts';

/** Where those who could run controllers and scheduler agree on who does. */
export const controlPlaneLock: ObjectName = { namespace: 'kube-system', name: 'wherry-controllers' };
