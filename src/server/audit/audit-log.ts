import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics/metrics.ts';
import type { NumberMetric } from '../../base/metrics/number-metric.ts';
import type { AuditLevel, AuditTrail } from './audit-trail.ts';
import { RotatingFile } from './rotating-file.ts';

export interface AuditLogOptions {
  readonly path: string;
  readonly level: AuditLevel;
  readonly maxBytes: number;
  readonly maxBackups: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** What may wait for a disk that is slow; what comes on top is given up. */
const mostWaitingBytes = 16 * 1024 * 1024;
/** What is written at once. */
const batchBytes = 64 * 1024;
const warningEveryMs = 60_000;

/**
 * Audit events in a file. The server never waits for it: lines queue up within bounds and are written one batch after another; what finds no room,
 * in the queue or on the disk, is counted and given up, and the log says so now and then.
 */
export class AuditLog implements AuditTrail {
  readonly level: AuditLevel;
  readonly #options: AuditLogOptions;
  readonly #file: RotatingFile;
  readonly #written: NumberMetric;
  readonly #lost: NumberMetric;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** In ticks. */
  #warnedAt = -Infinity;
  #isClosed = false;

  private constructor(options: AuditLogOptions, file: RotatingFile) {
    this.level = options.level;
    this.#options = options;
    this.#file = file;
    const { metrics } = options;
    this.#written = metrics
      .counter({ name: 'apiserver_audit_event_total', help: 'Audit events that were written.' })
      .with();
    this.#lost = metrics
      .counter({ name: 'apiserver_audit_error_total', help: 'Audit events that were lost.', labels: ['plugin'] })
      .with({ plugin: 'log' });
  }

  /** Rejects when the file cannot be written. */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    return new AuditLog(options, await RotatingFile.open(options));
  }

  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#isClosed) return this.#lose(1, new Error('the file is closed'));
    if (this.#waitingBytes + bytes.length > mostWaitingBytes) {
      this.#lose(1, new Error('the disk is too slow'));
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#writing ??= this.#writeAll();
  }

  /** Writes what waits, then closes the file. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#file.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        await this.#file.append(Buffer.concat(batch));
        this.#written.add(batch.length);
      } catch (error) {
        this.#lose(batch.length, error);
      }
    }
    this.#writing = undefined;
  }

  #nextBatch(): Buffer[] {
    const most = Math.min(batchBytes, this.#options.maxBytes);
    let count = 0;
    let bytes = 0;
    do bytes += this.#waiting[count++]!.length;
    while (count < this.#waiting.length && bytes + this.#waiting[count]!.length <= most);
    this.#waitingBytes -= bytes;
    return this.#waiting.splice(0, count);
  }

  #lose(count: number, error: unknown): void {
    this.#lost.add(count);
    const { clock, logger, path } = this.#options;
    if (clock.ticks() - this.#warnedAt < warningEveryMs) return;
    this.#warnedAt = clock.ticks();
    logger.warn('audit events are lost', { path, lost: this.#lost.value, error });
  }
}
