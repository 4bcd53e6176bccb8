import {
  boolean,
  long,
  longs,
  object,
  one,
  string,
  strings,
  type FieldsOf,
  type IntegerBounds,
} from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';

const capabilitiesFields = {
  add: strings('Capabilities to add to those of the runtime.'),
  drop: strings('Capabilities to take away.'),
};
export interface Capabilities extends FieldsOf<typeof capabilitiesFields> {}
export const capabilities: ObjectSchema<Capabilities> = object(
  'v1.Capabilities',
  'Rights of the kernel that a container has.',
  capabilitiesFields,
);

const seLinuxOptionsFields = {
  user: string('The user part of the label.'),
  role: string('The role part of the label.'),
  type: string('The type part of the label.'),
  level: string('The level part of the label.'),
};
export interface SELinuxOptions extends FieldsOf<typeof seLinuxOptionsFields> {}
export const seLinuxOptions: ObjectSchema<SELinuxOptions> = object(
  'v1.SELinuxOptions',
  'The label that SELinux gives a process.',
  seLinuxOptionsFields,
);

const runAsNonRoot = boolean('Whether a container that would run as root is refused.').keepZero();

const securityContextFields = {
  capabilities: one(capabilities, 'Capabilities to add and drop.'),
  privileged: boolean('Whether the container has all rights of the node.').keepZero(),
  seLinuxOptions: one(seLinuxOptions, 'SELinux label of the container.'),
  runAsUser: long('User id that the container runs as; that of the image unless given.', { min: 0 }).keepZero(),
  runAsNonRoot,
  readOnlyRootFilesystem: boolean('Whether the root file system can only be read.').keepZero(),
};
export interface SecurityContext extends FieldsOf<typeof securityContextFields> {}
export const securityContext: ObjectSchema<SecurityContext> = object(
  'v1.SecurityContext',
  'With which rights a container runs; goes before what the pod says.',
  securityContextFields,
);

/** What Linux takes for users and groups. */
const ids: IntegerBounds = { min: 0, max: 2 ** 31 - 1 };

const podSecurityContextFields = {
  seLinuxOptions: one(seLinuxOptions, 'SELinux label of all containers.'),
  runAsUser: long('User id that the containers run as; that of their images unless given.', ids).keepZero(),
  runAsNonRoot,
  supplementalGroups: longs('Further groups that the processes belong to.', ids),
  fsGroup: long('Group that owns the volumes of the pod.', ids).keepZero(),
};
export interface PodSecurityContext extends FieldsOf<typeof podSecurityContextFields> {}
export const podSecurityContext: ObjectSchema<PodSecurityContext> = object(
  'v1.PodSecurityContext',
  'With which rights the containers of a pod run.',
  podSecurityContextFields,
);
