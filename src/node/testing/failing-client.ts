import { InProcessClient } from '../../client/in-process-client.ts';
import type { Kind } from '../../kinds/kind.ts';
import { unreachable } from '../../kinds/meta/api-error.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';

/** A client that can write no status while its server is said to be down. */
export class FailingClient extends InProcessClient {
  isDown = false;
  /** How many writes were refused. */
  refused = 0;

  override updateStatus<T extends ApiObject>(kind: Kind<T>, object: T): Promise<T> {
    if (!this.isDown) return super.updateStatus(kind, object);
    this.refused++;
    return Promise.reject(unreachable('the server is down'));
  }
}
