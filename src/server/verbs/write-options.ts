import { badRequest } from '../../kinds/meta/api-error.ts';
import type { WriteOptions } from '../../registry/write.ts';
import type { Exchange } from '../exchange.ts';
import { word } from './query.ts';

/** What every write takes from its query. `fieldManager` is taken and means nothing: nobody owns single fields. */
export function writeOptions({ query, user }: Exchange): WriteOptions {
  return {
    user,
    dryRun: isDryRun(query.getAll('dryRun')),
    fieldValidation: word(query, 'fieldValidation', ['Warn', 'Strict', 'Ignore']),
  };
}

/** Only `All` stages can be tried out. */
export function isDryRun(stages: readonly unknown[]): boolean {
  const wrong = stages.find((stage) => stage !== 'All');
  if (wrong !== undefined) throw badRequest(`dryRun must be All, not ${JSON.stringify(wrong)}`);
  return stages.length > 0;
}
