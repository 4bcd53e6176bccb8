import type { IncomingMessage } from 'node:http';
import type { Status } from '../../kinds/meta/status.ts';
import type { User } from '../../registry/write.ts';
import type { RequestAction } from '../request-action.ts';
import type { RequestMeter } from './request-meters.ts';

/** What is known of one request, filled in as it comes to light. Log lines, metrics and the audit log are written from it. */
export interface RequestRecord {
  readonly id: string;
  readonly request: IncomingMessage;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly startTicks: number;
  /** Without the query. */
  path?: string;
  user?: User;
  action?: RequestAction;
  /** Of the group that the resource is in. */
  version?: string;
  meter?: RequestMeter;
  /** Whether the audit log tells of it. */
  isAudited: boolean;
  /** Whether what is sent is to be kept for the audit log. */
  keepsBody: boolean;
  /** What was sent, as JSON. */
  body?: string;
  /** The name that the object sent gives itself. */
  sentName?: string;
  failure?: Status;
  isOver: boolean;
  /** Frees the request's place among those that are served at once. */
  leave?: () => void;
}

/** Notes what a client sent, once it has been read. */
export function noteBody(record: RequestRecord, body: unknown): void {
  record.sentName = nameIn(body);
  if (record.keepsBody) record.body = JSON.stringify(body);
}

function nameIn(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('metadata' in body)) return undefined;
  const { metadata } = body;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return undefined;
  return typeof metadata.name === 'string' ? metadata.name : undefined;
}
