import type { User } from '../../registry/write.ts';
import type { RequestAction } from '../request-action.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { AuditLevel } from './audit-trail.ts';
import { isConfidential } from './confidential.ts';
import { sourceAddresses } from './source-addresses.ts';

/** `ResponseStarted` is told of streams only; everything is told of at its end. */
export type AuditStage = 'ResponseStarted' | 'ResponseComplete';

export interface AuditMoment {
  readonly level: AuditLevel;
  readonly stage: AuditStage;
  readonly code: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What happened, as an event of `audit.k8s.io/v1` in JSON. */
export function encodeAuditEvent(record: RequestRecord, moment: AuditMoment): string {
  const { request, action, user } = record;
  const conceals = action !== undefined && isConfidential(action);
  const event = JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: conceals ? 'Metadata' : moment.level,
    auditID: record.id,
    stage: moment.stage,
    requestURI: request.url ?? '',
    verb: action?.verb ?? (request.method ?? '').toLowerCase(),
    user: user ? userInfo(user.sentBy ?? user) : {},
    impersonatedUser: user?.sentBy && userInfo(user),
    sourceIPs: sourceAddresses(request),
    userAgent: request.headers['user-agent'],
    objectRef: action?.resource === undefined ? undefined : objectReference(action, record),
    responseStatus: responseStatus(record, moment.code, conceals),
    requestReceivedTimestamp: microTime(record.receivedAt),
    stageTimestamp: microTime(moment.now),
  });
  // What was sent is JSON already.
  return record.body === undefined || conceals ? event : `${event.slice(0, -1)},"requestObject":${record.body}}`;
}

function userInfo({ name, uid, groups, extra }: User): object {
  return { username: name, uid, groups, extra };
}

function objectReference(action: RequestAction, { sentName, version }: RequestRecord): object {
  const { resource, namespace, name = sentName, group, subresource } = action;
  return { resource, namespace, name, apiGroup: group || undefined, apiVersion: version, subresource };
}

/** What is said about a refused body may quote it. */
function responseStatus({ failure }: RequestRecord, code: number, conceals: boolean): object {
  if (!failure) return { metadata: {}, code };
  const { status, reason, message } = failure;
  return { metadata: {}, status, reason, message: conceals ? undefined : message, code };
}

/** RFC 3339 with microseconds, of which the clock gives the first three digits. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
