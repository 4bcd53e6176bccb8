import { age, nameColumn, type Column } from '../column.ts';
import type { Event } from './event.ts';

function subject({ involvedObject: { kind = '', name = '' } }: Event): string {
  return kind ? `${kind.toLowerCase()}/${name}` : name;
}

/** The name of an event says nothing to people, so it comes last and only when asked for. */
export const eventColumns: readonly Column<Event>[] = [
  {
    name: 'Last Seen',
    description: 'How long ago it happened last.',
    read: ({ lastTimestamp, firstTimestamp }, { now }) => age(lastTimestamp ?? firstTimestamp, now),
  },
  { name: 'Type', description: 'Normal or Warning.', read: ({ type = '' }) => type },
  { name: 'Reason', description: 'Why it happened, in one word.', read: ({ reason = '' }) => reason },
  { name: 'Object', description: 'What it is about.', read: subject },
  {
    name: 'Subobject',
    description: 'The part of the object that it is about.',
    wide: true,
    read: ({ involvedObject }) => involvedObject.fieldPath ?? '',
  },
  {
    name: 'Source',
    description: 'Who reports it.',
    wide: true,
    read: ({ source }) => [source?.component, source?.host].filter(Boolean).join(', '),
  },
  { name: 'Message', description: 'What happened.', read: ({ message = '' }) => message.trim() },
  {
    name: 'First Seen',
    description: 'How long ago it happened first.',
    wide: true,
    read: ({ firstTimestamp }, { now }) => age(firstTimestamp, now),
  },
  {
    name: 'Count',
    description: 'How often it happened.',
    type: 'integer',
    wide: true,
    read: ({ count = 1 }) => count,
  },
  { ...nameColumn, wide: true },
];
