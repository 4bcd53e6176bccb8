import type { Parameter } from './parameters.ts';
import type { DescribedType, GroupVersionKind } from './type-catalog.ts';

/** One method at one path, as all descriptions tell it. */
export interface ApiOperation {
  readonly path: string;
  /** The part of the API that it belongs to: `api/v1`, or `apis/extensions/v1beta1`. */
  readonly part: string;
  /** In capitals. */
  readonly method: string;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** What is done, in the words of later clients: `get`, `list`, `post`, `put`, `patch`, ... Absent for discovery. */
  readonly action?: string;
  /** The kind it is done to. */
  readonly target?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly type: DescribedType; readonly required: boolean };
  /** Absent for plain text, and for whatever the other end of a connection says. */
  readonly answer?: DescribedType;
  /** The codes of success; none in particular for connections. */
  readonly codes: readonly number[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
}

export const anyMediaType = ['*/*'];
export const objectMediaTypes = ['application/json', 'application/yaml'];
