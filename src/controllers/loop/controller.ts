import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { SharedInformers } from '../../client/shared-informers.ts';
import type { KeySource } from './key-source.ts';

/** What a controller works with. One for each controller and run. */
export interface ControllerContext {
  /** Sends nothing any more when the run is to stop. */
  readonly client: Client;
  /** Local copies, shared by all controllers of the run. Those asked for in `start` are complete before the first reconcile. */
  readonly informers: SharedInformers;
  /** Records under the name that the controller reports as. */
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal;
}

/** Asks for the same key to be reconciled again so much later, whatever happens until then. */
export interface Again {
  readonly after: number;
}

/** A controller that runs. What it remembers between calls lives in the closure of `start`. */
export interface RunningController {
  /** What makes it look at a key. */
  readonly sources: readonly KeySource[];
  /**
   * Brings what is there closer to what is asked for, for one object. It gets only the name and looks at the present, so calling it
   * too often does no harm. Never called twice at once for the same key. When it throws, it is called again, later each time.
   */
  reconcile(key: string): Promise<Again | void>;
  /** Called when the run stops, after the last reconcile. */
  close?(): void | Promise<void>;
}

export interface Controller {
  readonly name: string;
  /** The component that its events name, where that is not the controller's name. */
  readonly reportsAs?: string;
  /** How many keys are reconciled at the same time; 5 when absent. */
  readonly parallel?: number;
  start(context: ControllerContext): RunningController;
}
