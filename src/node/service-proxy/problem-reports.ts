import type { Logger } from '../../base/logger.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { Service } from '../../kinds/core/service.ts';
import type { BindProblem } from './bind-problem.ts';

/** Where a service cannot be reached, and why. */
export interface PortalProblem {
  /** An address, or an address with its port. */
  readonly where: string;
  readonly problem: BindProblem;
}

export interface ProblemReportsOptions {
  readonly nodeName: string;
  readonly logger: Logger;
  readonly events: EventRecorder;
}

const reasons = { address: 'AddressUnavailable', port: 'PortUnavailable' } as const;

/** Tells of what keeps services from being reached, each thing once for as long as it lasts. */
export class ProblemReports {
  readonly #options: ProblemReportsOptions;
  /** What was told last of each place, by service. */
  readonly #told = new Map<string, Map<string, string>>();

  constructor(options: ProblemReportsOptions) {
    this.#options = options;
  }

  /** Tells what is new among all that is wrong with a service now. */
  update(key: string, service: Service, problems: readonly PortalProblem[]): void {
    const before = this.#told.get(key);
    const now = new Map(problems.map(({ where, problem }) => [where, problem.message]));
    for (const { where, problem } of problems) {
      if (before?.get(where) !== problem.message) this.#tell(service, where, problem);
    }
    for (const where of before?.keys() ?? []) {
      if (!now.has(where)) this.#options.logger.info('a service can be reached again', { service: key, where });
    }
    if (now.size > 0) this.#told.set(key, now);
    else this.#told.delete(key);
  }

  forget(key: string): void {
    this.#told.delete(key);
  }

  #tell(service: Service, where: string, problem: BindProblem): void {
    const { nodeName, logger, events } = this.#options;
    const message = `The service cannot be reached at ${where} on node ${nodeName}: ${problem.message}`;
    logger.warn(message, { namespace: service.metadata.namespace, service: service.metadata.name });
    events.record(service, 'Warning', reasons[problem.what], message);
  }
}
