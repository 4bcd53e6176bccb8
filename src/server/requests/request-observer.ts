import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import { encodeAuditEvent, type AuditStage } from '../audit/audit-event.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { isConfidential } from '../audit/confidential.ts';
import type { RequestAction } from '../request-action.ts';
import { requestIdOf } from './request-id.ts';
import { RequestMeters, type MeteredCall, type RequestMeter } from './request-meters.ts';
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
const switchingProtocols = 101;

/** Follows every request from its first line to its end, and tells the log, the metrics and the audit trail. */
export class RequestObserver {
  readonly #parts: RequestObserverParts;
  readonly #meters: RequestMeters;

  constructor(parts: RequestObserverParts) {
    this.#parts = parts;
    this.#meters = new RequestMeters(parts.metrics);
  }

  /** A request came in. */
  begin(request: IncomingMessage): RequestRecord {
    const { clock, ids } = this.#parts;
    return {
      id: requestIdOf(request, ids),
      request,
      receivedAt: clock.now(),
      startTicks: clock.ticks(),
      isAudited: true,
      keepsBody: false,
      isOver: false,
    };
  }

  /** The request is over once its response is closed. */
  endWith(record: RequestRecord, response: ServerResponse): void {
    // A response that is given a connection which is closed already never hears of that.
    if (response.socket?.closed) this.end(record, clientLeft);
    else response.on('close', () => this.end(record, response.headersSent ? response.statusCode : clientLeft));
  }

  /** It leads to a resource. */
  routed(record: RequestRecord, call: MeteredCall, action: RequestAction): void {
    const { audit } = this.#parts;
    record.action = action;
    record.version = call.target.resource.served.version;
    record.keepsBody = audit?.level === 'Request' && !isConfidential(action);
    this.#begin(record, this.#meters.ofCall(call));
  }

  /** It has a place among the requests that are served at once. */
  entered(record: RequestRecord, leave: () => void): void {
    if (record.isOver) leave();
    else record.leave = leave;
  }

  /** It leads to a document, under a path that is known. */
  routedToPath(record: RequestRecord, path: string): void {
    this.#begin(record, this.#meters.ofPath(record.request.method ?? '', path));
  }

  /** It asks how the server is; that is asked so often that nobody wants to read of it. */
  routedToProbe(record: RequestRecord, path: string): void {
    record.isAudited = false;
    this.routedToPath(record, path);
  }

  /** The connection speaks another protocol from now on, and the request is over when it is closed. */
  switched(record: RequestRecord, socket: Duplex): void {
    this.streaming(record, switchingProtocols);
    if (socket.closed) this.end(record, switchingProtocols);
    else socket.once('close', () => this.end(record, switchingProtocols));
  }

  /** A stream has begun. */
  streaming(record: RequestRecord, code: number): void {
    this.#audit(record, 'ResponseStarted', code);
  }

  end(record: RequestRecord, code: number): void {
    const { clock, logger } = this.#parts;
    record.leave?.();
    if (!record.meter) this.routedToPath(record, '');
    record.isOver = true;
    const milliseconds = clock.ticks() - record.startTicks;
    record.meter?.end(code, milliseconds / 1000);
    const { id: requestId, request, path, user } = record;
    const took = Math.round(milliseconds * 1000) / 1000;
    logger.debug('request', { method: request.method, path, user: user?.name, code, milliseconds: took, requestId });
    this.#audit(record, 'ResponseComplete', code);
  }

  /** A client may be gone before it is known what it wants. */
  #begin(record: RequestRecord, meter: RequestMeter): void {
    if (record.isOver) return;
    record.meter = meter;
    meter.begin();
  }

  #audit(record: RequestRecord, stage: AuditStage, code: number): void {
    const { audit, clock } = this.#parts;
    if (!audit || !record.isAudited) return;
    audit.write(encodeAuditEvent(record, { level: audit.level, stage, code, now: clock.now() }));
  }
}
