import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListMeta } from '../../kinds/meta/object-meta.ts';
import { encodeList, encodeObject, listMetadata, type EncodeOptions } from '../../registry/encoding.ts';
import type { ObjectList } from '../../registry/list.ts';
import type { PiecedBytes } from '../../registry/pieced-bytes.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Exchange } from '../exchange.ts';
import { encodeMetadata, encodeMetadataList } from './partial-metadata.ts';
import type { RequestedShape } from './shape.ts';
import { showEntry, showStored, type Showable } from './showable.ts';
import { encodeRow, encodeTable, type TableStyle } from './table.ts';

/** A stored object in the shape that the client asked for; its bytes as they are when it asked for none. */
export function objectBody(exchange: Exchange, stored: StoredObject, options: EncodeOptions = {}): Buffer {
  const { served } = exchange.target.resource;
  if (!exchange.shape) return encodeObject(stored, served, options);
  return shapedObject(exchange, exchange.shape, showStored(stored, served));
}

export function shapedObject(exchange: Exchange, shape: RequestedShape, shown: Showable): Buffer {
  if (shape.as !== 'Table') return Buffer.from(encodeMetadata(shape, shown));
  const style = tableStyle(exchange, shape);
  const { selfLink, resourceVersion } = shown.metadata;
  const rows = [encodeRow(style, shown, exchange.context.clock.now())];
  return Buffer.from(encodeTable(style, { metadata: { selfLink, resourceVersion }, rows, columns: true }));
}

/** A list in the shape that the client asked for; stored bytes as they are when it asked for none. */
export async function listBody(exchange: Exchange, list: ObjectList): Promise<Buffer | PiecedBytes> {
  const { shape } = exchange;
  if (!shape) return encodeList(list);
  const shown = list.entries.map((entry) => () => showEntry(entry, list.served));
  return shapedList(exchange, shape, { metadata: listMetadata(list), shown });
}

interface ShapedList {
  readonly metadata: ListMeta;
  /** Called one after another, so that no long list is parsed as a whole. */
  readonly shown: readonly (() => Showable)[];
}

/** Rows that are made before other requests get their turn. */
const rowsAtOnce = 256;

export async function shapedList(exchange: Exchange, shape: RequestedShape, list: ShapedList): Promise<Buffer> {
  const { metadata, shown } = list;
  const style = tableStyle(exchange, shape);
  const now = exchange.context.clock.now();
  const encode = (one: Showable): string =>
    shape.as === 'Table' ? encodeRow(style, one, now) : encodeMetadata(shape, one);
  const parts: string[] = [];
  for (const show of shown) {
    if (parts.length > 0 && parts.length % rowsAtOnce === 0) await nextTurn();
    parts.push(encode(show()));
  }
  const text =
    shape.as === 'Table'
      ? encodeTable(style, { metadata, rows: parts, columns: true })
      : encodeMetadataList(shape, metadata, parts);
  return Buffer.from(text);
}

function tableStyle({ target }: Exchange, shape: RequestedShape): TableStyle {
  return { kind: target.resource.served.kind, shape };
}
