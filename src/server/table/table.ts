import type { Column } from '../../kinds/column.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { ListMeta } from '../../kinds/meta/object-meta.ts';
import { encodeMetadata } from './partial-metadata.ts';
import { shapeApiVersion, type RequestedShape } from './shape.ts';
import type { Showable } from './showable.ts';

/** Which table is wanted. */
export interface TableStyle {
  readonly kind: Kind;
  readonly shape: RequestedShape;
}

export interface TableParts {
  readonly metadata: ListMeta;
  /** Ready rows. */
  readonly rows: readonly string[];
  /** Left out after the first event of a watch: the client has them. */
  readonly columns: boolean;
}

/** The answer that `kubectl get` prints: what the columns of a kind say about each object. */
export function encodeTable(style: TableStyle, { metadata, rows, columns }: TableParts): string {
  const definitions = columns ? style.kind.columns.map(columnDefinition) : [];
  const head = { kind: 'Table', apiVersion: shapeApiVersion(style.shape), metadata, columnDefinitions: definitions };
  return `${JSON.stringify(head).slice(0, -1)},"rows":[${rows.join(',')}]}`;
}

export function encodeRow({ kind, shape }: TableStyle, shown: Showable, now: number): string {
  const cells = JSON.stringify(kind.columns.map((column) => column.read(shown.object, { now })));
  if (shape.rowObject === 'None') return `{"cells":${cells}}`;
  const object = shape.rowObject === 'Object' ? shown.encode().toString('utf8') : encodeMetadata(shape, shown);
  return `{"cells":${cells},"object":${object}}`;
}

function columnDefinition({ name, type = 'string', format, description, wide }: Column): object {
  return { name, type, format: format ?? '', description, priority: wide ? 1 : 0 };
}
