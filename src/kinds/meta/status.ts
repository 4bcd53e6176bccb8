import { integer, list, object, one, string, type FieldsOf } from '../../schema/builders.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { listMeta } from './object-meta.ts';

const statusCauseFields = {
  reason: string('What is wrong, for machines.'),
  message: string('What is wrong, for people.'),
  field: string('Path of the field that is wrong.'),
};
export interface StatusCause extends FieldsOf<typeof statusCauseFields> {}
const statusCause: ObjectSchema<StatusCause> = object('v1.StatusCause', 'One mistake of several.', statusCauseFields);

const statusDetailsFields = {
  name: string('Name of the object the answer is about.'),
  group: string('Group of the object.'),
  kind: string('Resource the answer is about.'),
  uid: string('Uid of the object, where one is known.'),
  causes: list(statusCause, 'Every mistake found.'),
  retryAfterSeconds: integer('When to try again.'),
};
export interface StatusDetails extends FieldsOf<typeof statusDetailsFields> {}
const statusDetails: ObjectSchema<StatusDetails> = object(
  'v1.StatusDetails',
  'What the answer is about.',
  statusDetailsFields,
);

const statusFields = {
  kind: string('Always Status.'),
  apiVersion: string('Always v1.'),
  metadata: one(listMeta, 'Empty.'),
  status: string('Success or Failure.'),
  message: string('What happened, for people.'),
  reason: string('What happened, for machines.'),
  details: one(statusDetails, 'What the answer is about.'),
  code: integer('The HTTP status code.'),
};
/** The answer to a request that gives no object. */
export interface Status extends FieldsOf<typeof statusFields> {}
export const status: ObjectSchema<Status> = object(
  'v1.Status',
  'The answer to a request that gives no object.',
  statusFields,
);
