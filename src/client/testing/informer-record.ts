import { deferred } from '../../base/deferred.ts';
import type { ApiObject } from '../../kinds/meta/object-meta.ts';
import type { InformerHandler } from '../informer.ts';

/** Keeps what an informer tells, in words: `added a`, `updated a`, `deleted a`. */
export class InformerRecord implements InformerHandler<ApiObject> {
  readonly told: string[] = [];
  #wake = deferred<void>();

  added({ metadata }: ApiObject): void {
    this.#tell(`added ${metadata.name}`);
  }

  updated(_old: ApiObject, { metadata }: ApiObject): void {
    this.#tell(`updated ${metadata.name}`);
  }

  deleted({ metadata }: ApiObject): void {
    this.#tell(`deleted ${metadata.name}`);
  }

  /** Resolves when so much was told. */
  async reached(count: number): Promise<void> {
    while (this.told.length < count) {
      this.#wake = deferred<void>();
      await this.#wake.promise;
    }
  }

  #tell(line: string): void {
    this.told.push(line);
    this.#wake.resolve();
  }
}
