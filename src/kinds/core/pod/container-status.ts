import { boolean, integer, object, one, string, time, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';

const waitingFields = {
  reason: string('Why it waits, for machines.'),
  message: string('Why it waits, for people.'),
};
export interface ContainerStateWaiting extends FieldsOf<typeof waitingFields> {}
const containerStateWaiting: ObjectSchema<ContainerStateWaiting> = object(
  'v1.ContainerStateWaiting',
  'A container that has not started yet.',
  waitingFields,
);

const runningFields = {
  startedAt: time('When it was started.'),
};
export interface ContainerStateRunning extends FieldsOf<typeof runningFields> {}
const containerStateRunning: ObjectSchema<ContainerStateRunning> = object(
  'v1.ContainerStateRunning',
  'A container that runs.',
  runningFields,
);

const terminatedFields = {
  exitCode: integer('What the program returned.').mandatory().always(0),
  signal: integer('Signal that ended the program.'),
  reason: string('Why it ended, for machines.'),
  message: string('What the container said last.'),
  startedAt: time('When it was started.'),
  finishedAt: time('When it ended.'),
  containerID: string('Identity of the container at its runtime.'),
};
export interface ContainerStateTerminated extends FieldsOf<typeof terminatedFields> {}
const containerStateTerminated: ObjectSchema<ContainerStateTerminated> = object(
  'v1.ContainerStateTerminated',
  'A container that ended.',
  terminatedFields,
);

const containerStateFields = {
  waiting: one(containerStateWaiting, 'It has not started yet.'),
  running: one(containerStateRunning, 'It runs.'),
  terminated: one(containerStateTerminated, 'It ended.'),
};
export interface ContainerState extends FieldsOf<typeof containerStateFields> {}
const containerState: ObjectSchema<ContainerState> = object(
  'v1.ContainerState',
  'What a container does: one of three; waiting when none is said.',
  containerStateFields,
);

const containerStatusFields = {
  name: string('Name of the container.').mandatory().always(''),
  state: one(containerState, 'What the container does now.').defaultsTo({}),
  lastState: one(containerState, 'How its last run ended.').defaultsTo({}),
  ready: boolean('Whether it passed its readiness probe.').mandatory().always(false),
  restartCount: integer('How often it was started again.').mandatory().always(0),
  image: string('Image that it runs.').mandatory().always(''),
  imageID: string('Identity of that image.').mandatory().always(''),
  containerID: string('Identity of the container at its runtime.'),
};
export interface ContainerStatus extends FieldsOf<typeof containerStatusFields> {}
export const containerStatus: ObjectSchema<ContainerStatus> = object(
  'v1.ContainerStatus',
  'How a container of a pod fares.',
  containerStatusFields,
);
