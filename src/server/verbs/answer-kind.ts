import { servedVersions } from '../../kinds/served-version.ts';
import { answerBody, type QuestionKind } from '../../registry/answered-kind.ts';
import { bodyTypeOf } from '../../registry/decode-body.ts';
import type { Operation } from '../route.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

/** POST of a kind that is answered and not stored. */
export function answering(kind: QuestionKind): Operation {
  const served = servedVersions(kind.kind)[0]!;
  const type = bodyTypeOf(served);
  return {
    verb: 'create',
    style: 'answer',
    answers: served,
    async run(exchange) {
      const options = writeOptions(exchange);
      const body = await readObject(exchange, type);
      const { namespace, name } = exchange.target;
      const { code, object, warnings } = await answerBody(kind, { namespace, name }, { ...options, body });
      return { code, body: object, warnings };
    },
  };
}
