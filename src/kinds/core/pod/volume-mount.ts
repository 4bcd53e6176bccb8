import { boolean, object, string, type FieldsOf } from '../../../schema/builders.ts';
import type { Format, ObjectSchema } from '../../../schema/schema.ts';

const mountPath: Format = {
  name: 'mount-path',
  check: (value) => (value.includes(':') ? 'must not contain ":"' : undefined),
};

const volumeMountFields = {
  name: string('Name of the volume.').mandatory(),
  readOnly: boolean('Whether the container can only read there.'),
  mountPath: string('Where the volume appears.', mountPath).mandatory(),
};
export interface VolumeMount extends FieldsOf<typeof volumeMountFields> {}
export const volumeMount: ObjectSchema<VolumeMount> = object(
  'v1.VolumeMount',
  'A volume in the file system of a container.',
  volumeMountFields,
);
