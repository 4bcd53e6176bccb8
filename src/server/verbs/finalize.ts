import type { Answer, Exchange } from '../exchange.ts';
import { updatePart } from './update.ts';

/** PUT `/finalize` of a namespace: who must still act before it is gone. */
export function updateFinalizers(exchange: Exchange): Promise<Answer> {
  return updatePart(exchange, 'finalize');
}
