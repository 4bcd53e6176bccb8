import { qualifiedName } from '../../schema/formats.ts';
import type { Format } from '../../schema/schema.ts';

/** Resources that are used up by running pods. */
export const computeResources: readonly string[] = [
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
];

/** Objects that a quota can count. */
export const countedResources: readonly string[] = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
];

const quotaNames: readonly string[] = [...computeResources, ...countedResources];
const resourceNames: readonly string[] = [...quotaNames, 'storage'];

/** A well-known name, or one of someone's own, which needs a prefix. */
function standardOrQualified(name: string, standard: readonly string[]): Format {
  return {
    name,
    check(value) {
      const wrong = qualifiedName.check(value);
      if (wrong || value.includes('/') || standard.includes(value)) return wrong;
      return `must be one of ${standard.join(', ')}, or have a prefix such as example.com/`;
    },
  };
}

/** A well-known name, or anything with a slash: as in the reference, names of someone's own are not looked at here. */
function standardOrOwn(name: string, standard: readonly string[]): Format {
  return {
    name,
    check(value) {
      if (value.includes('/') || standard.includes(value)) return undefined;
      return `must be one of ${standard.join(', ')}, or have a prefix such as example.com/`;
    },
  };
}

/** The name of any resource. */
export const resourceName = standardOrQualified('resource-name', resourceNames);

/** The name of a resource that a container can ask for. */
export const containerResourceName = standardOrOwn('container-resource-name', ['cpu', 'memory']);

/** The name of a resource that a quota can bound. */
export const quotaResourceName = standardOrOwn('quota-resource-name', quotaNames);

/** What a limit range item bounds. */
export const limitType = standardOrQualified('limit-type', ['Pod', 'Container']);

/** Who must act before a namespace goes. */
export const finalizerName = standardOrQualified('finalizer-name', ['kubernetes']);
