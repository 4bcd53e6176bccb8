import type { Answer, Exchange } from '../exchange.ts';
import { updatePart } from './update.ts';

/** PUT `/status`: the status, and metadata such as labels; the rest of the object stays. */
export function updateStatus(exchange: Exchange): Promise<Answer> {
  return updatePart(exchange, 'status');
}
