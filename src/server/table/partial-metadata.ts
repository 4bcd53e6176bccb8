import type { ListMeta } from '../../kinds/meta/object-meta.ts';
import { shapeApiVersion, type AnswerShape } from './shape.ts';
import type { Showable } from './showable.ts';

/** Only what every object says about itself. */
export function encodeMetadata(shape: AnswerShape, { metadata }: Showable): string {
  return JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: shapeApiVersion(shape), metadata });
}

/** `items` are ready. */
export function encodeMetadataList(shape: AnswerShape, metadata: ListMeta, items: readonly string[]): string {
  const head = { kind: 'PartialObjectMetadataList', apiVersion: shapeApiVersion(shape), metadata };
  return `${JSON.stringify(head).slice(0, -1)},"items":[${items.join(',')}]}`;
}
