/** A type that is written as a plain value, but has a name that clients know. */
export interface PlainType {
  readonly name: string;
  readonly description: string;
  readonly format?: string;
  /** What JSON types it can be written as. Version 2 of OpenAPI can only say the first. */
  readonly takes: readonly [string, ...string[]];
}

/** By what schemas call them. */
export const plainTypes = {
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    description: 'An amount: a number, and optionally a unit such as m, k, M, Ki or Mi.',
    takes: ['string', 'number'],
  },
  time: {
    name: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
    description: 'A moment in RFC 3339.',
    format: 'date-time',
    takes: ['string'],
  },
  intOrString: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    description: 'A whole number or a text.',
    format: 'int-or-string',
    takes: ['string', 'integer'],
  },
} satisfies Record<string, PlainType>;
