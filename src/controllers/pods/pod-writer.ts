import type { EventRecorder } from '../../client/event-recorder.ts';
import { keyOf, nameOf } from '../../client/object-name.ts';
import { pod as podKind, type Pod } from '../../kinds/core/pod.ts';
import { ApiError, isApiError } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { ControllerContext } from '../loop/controller.ts';
import type { OwnWrites } from '../loop/own-writes.ts';
import { slowStart } from '../loop/slow-start.ts';

export interface PodWriterContext extends Pick<ControllerContext, 'client'> {
  readonly events: Pick<EventRecorder, 'record'>;
}

/** Makes and deletes pods for their controllers, tells of it in events, and remembers it until the informer knows. */
export class PodWriter {
  readonly #context: PodWriterContext;
  readonly #ownWrites: OwnWrites<Pod>;

  constructor(context: PodWriterContext, ownWrites: OwnWrites<Pod>) {
    this.#context = context;
    this.#ownWrites = ownWrites;
  }

  /** Few at first; ends with the first failure. */
  async create(owner: ApiObject, pods: readonly Pod[]): Promise<void> {
    const { error } = await slowStart(pods.length, (i) => this.#create(owner, pods[i]!));
    if (error) throw error;
  }

  /** Tries all, and ends with the first failure. */
  async delete(owner: ApiObject, pods: readonly Pod[]): Promise<void> {
    const results = await Promise.allSettled(pods.map((pod) => this.#delete(owner, pod)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #create(owner: ApiObject, pod: Pod): Promise<void> {
    const { client, events } = this.#context;
    try {
      const created = await client.create(podKind, pod);
      this.#ownWrites.wrote(keyOf(owner), created);
      events.record(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.metadata.name}`);
    } catch (error) {
      this.#tellOfRefusal(owner, 'FailedCreate', 'Error creating', error);
      throw error;
    }
  }

  async #delete(owner: ApiObject, pod: Pod): Promise<void> {
    const { client, events } = this.#context;
    const { name, uid } = pod.metadata;
    try {
      await client.delete(podKind, nameOf(pod), { preconditions: { uid } });
      events.record(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
    } catch (error) {
      // Somebody else deleted it, which is as good; another pod of that name is none of ours.
      if (!isApiError(error, 404) && !isApiError(error, 409)) {
        this.#tellOfRefusal(owner, 'FailedDelete', 'Error deleting', error);
        throw error;
      }
    }
    this.#ownWrites.deleted(keyOf(owner), pod);
  }

  /** That the controller itself gave up, because it is to stop, is nothing to tell of. */
  #tellOfRefusal(owner: ApiObject, reason: string, what: string, error: unknown): void {
    if (!(error instanceof ApiError)) return;
    this.#context.events.record(owner, 'Warning', reason, `${what}: ${error.message}`);
  }
}
