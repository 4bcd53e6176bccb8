import type { ScaleForm } from '../../kinds/extensions/scale-form.ts';
import { scaleType, type ScaleAddress } from '../../registry/subresources/scale.ts';
import { objectAddress, type Answer, type Exchange } from '../exchange.ts';
import { readPatch } from './patch.ts';
import { readObject } from './request-body.ts';
import { writeOptions } from './write-options.ts';

type Run = (exchange: Exchange) => Promise<Answer>;

function addressIn(form: ScaleForm, exchange: Exchange): ScaleAddress {
  return { ...objectAddress(exchange), form };
}

export function getScale(form: ScaleForm): Run {
  return async (exchange) => {
    return { code: 200, body: await exchange.context.registry.getScale(addressIn(form, exchange)) };
  };
}

export function updateScale(form: ScaleForm): Run {
  return async (exchange) => {
    const options = writeOptions(exchange);
    const body = await readObject(exchange, scaleType(form));
    const scale = await exchange.context.registry.updateScale(addressIn(form, exchange), { ...options, body });
    return { code: 200, body: scale };
  };
}

export function patchScale(form: ScaleForm): Run {
  return async (exchange) => {
    const request = await readPatch(exchange);
    return { code: 200, body: await exchange.context.registry.patchScale(addressIn(form, exchange), request) };
  };
}
