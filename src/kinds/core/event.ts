import { integer, object, one, string, time, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { pathSegment } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { eventColumns } from './event-columns.ts';
import { objectReference, type ObjectReference } from './object-reference.ts';

const eventSourceFields = {
  component: string('Component that saw it happen.'),
  host: string('Node on which it happened.'),
};
export interface EventSource extends FieldsOf<typeof eventSourceFields> {}
const eventSource: ObjectSchema<EventSource> = object('v1.EventSource', 'Who reports an event.', eventSourceFields);

const eventFields = {
  involvedObject: one(objectReference, 'The object that the event is about.').mandatory().defaultsTo({}),
  reason: string('Why it happened, in one word for machines.'),
  message: string('What happened, for people.'),
  source: one(eventSource, 'Who reports the event.').defaultsTo({}),
  firstTimestamp: time('When it happened first.'),
  lastTimestamp: time('When it happened last.'),
  count: integer('How often it happened.'),
  type: string('Normal or Warning; more may come.'),
};
export interface Event extends ApiObject, FieldsOf<typeof eventFields> {}

const clusterKinds = ['Node', 'PersistentVolume', 'Namespace'];
/** Where events of objects of the cluster live. */
const clusterNamespace = 'default';

/** An event lives beside its object, or in the namespace for those that have none. Whatever namespace a node is given does not matter. */
function validateEvent({ metadata, involvedObject }: Event, path: Path, errors: FieldErrors): void {
  const { kind = '', namespace = '' } = involvedObject;
  const own = metadata.namespace ?? '';
  const isOfCluster = kind === 'Node' || (clusterKinds.includes(kind) && namespace === '');
  if (own === (isOfCluster ? clusterNamespace : namespace)) return;
  const wrong = isOfCluster
    ? `an event of a ${kind} belongs into the namespace "${clusterNamespace}"`
    : `must be the event's own namespace "${own}"`;
  errors.invalid(path.at('involvedObject').at('namespace'), namespace, wrong);
}

function involved(field: keyof ObjectReference): (event: Event) => string {
  return (event) => event.involvedObject[field] ?? '';
}

export const event: Kind<Event> = defineKind<Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  resource: 'events',
  shortNames: ['ev'],
  namespaced: true,
  nameFormat: pathSegment,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'Event', description: 'Something that happened to an object, kept for an hour.' },
    eventFields,
    { validate: validateEvent },
  ),
  createsOnUpdate: true,
  metadataComesLast: true,
  lifetimeSeconds: 3600,
  selectableFields: {
    'involvedObject.kind': involved('kind'),
    'involvedObject.namespace': involved('namespace'),
    'involvedObject.name': involved('name'),
    'involvedObject.uid': involved('uid'),
    'involvedObject.apiVersion': involved('apiVersion'),
    'involvedObject.resourceVersion': involved('resourceVersion'),
    'involvedObject.fieldPath': involved('fieldPath'),
    reason: (object) => object.reason ?? '',
    source: (object) => object.source?.component ?? '',
    type: (object) => object.type ?? '',
  },
  columns: eventColumns,
  example: {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'started', namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'web' },
    reason: 'Started',
    source: {},
    type: 'Normal',
  },
});
