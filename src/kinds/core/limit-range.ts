import { list, object, one, quantities, string, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { Path } from '../../schema/path.ts';
import { nanosOf } from '../../schema/quantity.ts';
import type { Format, ObjectSchema } from '../../schema/schema.ts';
import { createdAtColumn, nameColumn } from '../column.ts';
import { defineKind, kindSchema, type Kind, type WriteContext } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { containerResourceName, limitType, resourceName } from './resource-names.ts';

const limitRangeItemFields = {
  type: string('What is bounded: Pod, Container, or a qualified name.'),
  max: quantities('The most of each resource that may be asked for.'),
  min: quantities('The least of each resource that may be asked for.'),
  default: quantities('Limits for containers that give none.'),
  defaultRequest: quantities('Requests for containers that give none.'),
  maxLimitRequestRatio: quantities('How many times the request a limit may be.'),
};
export interface LimitRangeItem extends FieldsOf<typeof limitRangeItemFields> {}
const limitRangeItem: ObjectSchema<LimitRangeItem> = object(
  'v1.LimitRangeItem',
  'Bounds for one type of thing.',
  limitRangeItemFields,
  { complete: completeItem, validate: validateItem },
);

/** A bound alone says what to take when nothing is asked for: the maximum as limit, the limit as request, else the minimum as request. */
function completeItem(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

const boundFields = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type BoundField = (typeof boundFields)[number];

function validateItem(item: LimitRangeItem, path: Path, errors: FieldErrors): void {
  const { type = '' } = item;
  const wrongType = limitType.check(type);
  if (wrongType) errors.invalid(path.at('type'), type, wrongType);
  const used = boundFields.filter((field) => !isForbidden(item, field, path, errors));
  const names = new Set(used.flatMap((field) => Object.keys(item[field] ?? {})));
  const nameFormat = type === 'Pod' || type === 'Container' ? containerResourceName : resourceName;
  for (const field of used) validateNames(item[field] ?? {}, nameFormat, path.at(field), errors);
  for (const name of names) {
    validateBounds(item, name, path, errors);
    validateRatio(item, name, path, errors);
  }
}

/** What a whole pod gets when it asks for nothing has no meaning. */
function isForbidden(item: LimitRangeItem, field: BoundField, path: Path, errors: FieldErrors): boolean {
  if (item.type !== 'Pod' || (field !== 'default' && field !== 'defaultRequest')) return false;
  if (item[field]) errors.forbidden(path.at(field), 'only containers have defaults');
  return true;
}

function validateNames(amounts: Record<string, string>, format: Format, path: Path, errors: FieldErrors): void {
  for (const name of Object.keys(amounts)) {
    const wrong = format.check(name);
    if (wrong) errors.invalid(path.key(name), name, wrong);
  }
}

/** For each pair, the first may not be larger than the second; the third is the field that is wrong then. */
const orders: readonly (readonly [BoundField, BoundField, BoundField])[] = [
  ['min', 'max', 'min'],
  ['min', 'defaultRequest', 'defaultRequest'],
  ['defaultRequest', 'max', 'defaultRequest'],
  ['defaultRequest', 'default', 'defaultRequest'],
  ['min', 'default', 'default'],
  ['default', 'max', 'default'],
];

function validateBounds(item: LimitRangeItem, name: string, path: Path, errors: FieldErrors): void {
  for (const [lower, upper, wrong] of orders) {
    if (item.type === 'Pod' && wrong !== 'min') continue;
    const [low, high] = [amountIn(item[lower], name), amountIn(item[upper], name)];
    if (low === undefined || high === undefined || nanosOf(low) <= nanosOf(high)) continue;
    errors.invalid(
      path.at(wrong).key(name),
      amountIn(item[wrong], name),
      `${lower} ${low} is more than ${upper} ${high}`,
    );
  }
}

/** A resource may have any name, also one that every object has a property by. */
function amountIn(amounts: Record<string, string> | undefined, name: string): string | undefined {
  return amounts && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
}

const unit = 1_000_000_000n;

function validateRatio(item: LimitRangeItem, name: string, path: Path, errors: FieldErrors): void {
  const ratio = amountIn(item.maxLimitRequestRatio, name);
  if (ratio === undefined) return;
  const where = path.at('maxLimitRequestRatio').key(name);
  if (nanosOf(ratio) < unit) errors.invalid(where, ratio, 'must be at least 1');
  const [min, max] = [amountIn(item.min, name), amountIn(item.max, name)];
  if (min === undefined || max === undefined) return;
  // As in the reference by division, which tells it also of a minimum that is 0 or less.
  if (Number(nanosOf(ratio)) / Number(unit) > Number(nanosOf(max)) / Number(nanosOf(min))) {
    errors.invalid(where, ratio, `max ${max} is less than so many times min ${min}`);
  }
}

const limitRangeSpecFields = {
  limits: list(limitRangeItem, 'Bounds, one item a type.').mandatory().always([]),
};
export interface LimitRangeSpec extends FieldsOf<typeof limitRangeSpecFields> {}
const limitRangeSpec: ObjectSchema<LimitRangeSpec> = object(
  'v1.LimitRangeSpec',
  'The bounds of a namespace.',
  limitRangeSpecFields,
  { validate: validateTypes },
);

function validateTypes({ limits }: LimitRangeSpec, path: Path, errors: FieldErrors): void {
  const seen = new Set<string>();
  limits.forEach(({ type = '' }, i) => {
    if (seen.has(type)) errors.duplicate(path.at('limits').index(i).at('type'), type);
    seen.add(type);
  });
}

const limitRangeFields = {
  spec: one(limitRangeSpec, 'The bounds of the namespace.').defaultsTo({ limits: [] }),
};
export interface LimitRange extends ApiObject, FieldsOf<typeof limitRangeFields> {}

/** Bounds need no name: nobody refers to them. As in the reference one is made up. */
function giveName({ metadata }: LimitRange, context: WriteContext): void {
  metadata.name ||= context.uid();
}

export const limitRange: Kind<LimitRange> = defineKind<LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  resource: 'limitranges',
  shortNames: ['limits'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'LimitRange', description: 'Bounds and defaults for what is asked for in a namespace.' },
    limitRangeFields,
  ),
  createsOnUpdate: true,
  prepareForCreate: giveName,
  columns: [nameColumn, createdAtColumn],
  example: {
    kind: 'LimitRange',
    apiVersion: 'v1',
    metadata: { name: 'bounds' },
    spec: { limits: [{ type: 'Pod', max: { cpu: '2' } }] },
  },
});
