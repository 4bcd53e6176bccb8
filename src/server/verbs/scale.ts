import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { readPatch } from './patch.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

export async function getScale(exchange: Exchange): Promise<Answer> {
  return { code: 200, body: await exchange.context.registry.getScale(objectAddress(exchange)) };
}

export async function updateScale(exchange: Exchange): Promise<Answer> {
  const options = writeOptions(exchange);
  const body = await readObject(exchange);
  const scale = await exchange.context.registry.updateScale(objectAddress(exchange), { ...options, body });
  return { code: 200, body: scale };
}

export async function patchScale(exchange: Exchange): Promise<Answer> {
  const request = await readPatch(exchange);
  return { code: 200, body: await exchange.context.registry.patchScale(objectAddress(exchange), request) };
}
