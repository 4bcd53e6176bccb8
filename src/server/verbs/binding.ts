import { bindingType } from '../../registry/subresources/binding.ts';
import { collectionAddress, objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

/** Puts a pod on a node: POST to `bindings`, or to `pods/{name}/binding`. */
export async function bindPod(exchange: Exchange): Promise<Answer> {
  const options = writeOptions(exchange);
  const body = await readObject(exchange, bindingType);
  const address = exchange.target.name === undefined ? collectionAddress(exchange) : objectAddress(exchange);
  const status = await exchange.context.registry.bind(address, { ...options, body });
  return { code: exchange.target.resource.served.createdCode, body: status };
}
