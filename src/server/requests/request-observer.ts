import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import { encodeAuditEvent, type AuditStage } from '../audit/audit-event.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { isConfidential } from '../audit/confidential.ts';
import type { RequestAction } from '../request-action.ts';
import { requestIdOf } from './request-id.ts';
import { RequestMeters, type MeteredCall } from './request-meters.ts';
import type { RequestRecord } from './request-record.ts';

export interface RequestObserverParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly audit?: AuditTrail;
}

/** What is counted when the client is gone before its answer begins. */
const clientLeft = 499;

/** Follows every request from its first line to its end, and tells the log, the metrics and the audit trail. */
export class RequestObserver {
  readonly #parts: RequestObserverParts;
  readonly #meters: RequestMeters;

  constructor(parts: RequestObserverParts) {
    this.#parts = parts;
    this.#meters = new RequestMeters(parts.metrics);
  }

  /** A request came in. Whatever it is answered with carries its id. */
  begin(request: IncomingMessage, response: ServerResponse): RequestRecord {
    const { clock, ids } = this.#parts;
    const id = requestIdOf(request, ids);
    response.setHeader('Audit-Id', id);
    response.setHeader('X-Request-Id', id);
    return { id, request, receivedAt: clock.now(), startTicks: clock.ticks(), isAudited: true, keepsBody: false };
  }

  /** The request is over once its response is closed. */
  endWith(record: RequestRecord, response: ServerResponse): void {
    response.once('close', () => this.end(record, response.headersSent ? response.statusCode : clientLeft));
  }

  /** It leads to a resource. */
  routed(record: RequestRecord, call: MeteredCall, action: RequestAction): void {
    const { audit } = this.#parts;
    record.action = action;
    record.version = call.target.resource.served.version;
    record.keepsBody = audit?.level === 'Request' && !isConfidential(action);
    record.meter = this.#meters.ofCall(call);
    record.meter.begin();
  }

  /** It leads to a document, under a path that is known. */
  routedToPath(record: RequestRecord, path: string): void {
    record.meter = this.#meters.ofPath(record.request.method ?? '', path);
    record.meter.begin();
  }

  /** A stream has begun. */
  streaming(record: RequestRecord, code: number): void {
    this.#audit(record, 'ResponseStarted', code);
  }

  end(record: RequestRecord, code: number): void {
    const { clock, logger } = this.#parts;
    record.leave?.();
    const milliseconds = clock.ticks() - record.startTicks;
    if (!record.meter) this.routedToPath(record, '');
    record.meter?.end(code, milliseconds / 1000);
    const { id: requestId, request, path, user } = record;
    logger.debug('request', { method: request.method, path, user: user?.name, code, milliseconds, requestId });
    this.#audit(record, 'ResponseComplete', code);
  }

  #audit(record: RequestRecord, stage: AuditStage, code: number): void {
    const { audit, clock } = this.#parts;
    if (!audit || !record.isAudited) return;
    audit.write(encodeAuditEvent(record, { level: audit.level, stage, code, now: clock.now() }));
  }
}
