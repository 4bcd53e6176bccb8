import { intOrString, object, one, oneOf, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import type { Path } from '../../schema/path.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { isNone, percentOf, validateIntOrPercent } from './int-or-percent.ts';

const rollingUpdateFields = {
  maxUnavailable: intOrString('On how many nodes the pod may be missing meanwhile: a count, or a percentage.')
    .keepZero()
    .defaultsTo(1),
};
export interface RollingUpdateDaemonSet extends FieldsOf<typeof rollingUpdateFields> {}

const strategyTypes = ['OnDelete', 'RollingUpdate'] as const;

export interface DaemonSetUpdateStrategy {
  type?: (typeof strategyTypes)[number];
  rollingUpdate?: RollingUpdateDaemonSet;
}

/** How pods of an earlier template are replaced. Versions differ in what they do when nothing is said. */
export function daemonSetUpdateStrategy(
  version: string,
  type: (typeof strategyTypes)[number],
): ObjectSchema<DaemonSetUpdateStrategy> {
  const rollingUpdate: ObjectSchema<RollingUpdateDaemonSet> = object(
    `${version}.RollingUpdateDaemonSet`,
    'How fast pods are replaced.',
    rollingUpdateFields,
  );
  const fields = {
    type: oneOf(strategyTypes, 'Whether pods are replaced by themselves, or when somebody deletes them.').defaultsTo(
      type,
    ),
    rollingUpdate: one(rollingUpdate, 'How fast pods are replaced; only for RollingUpdate.'),
  };
  const description = 'How pods of an earlier template are replaced.';
  return object(`${version}.DaemonSetUpdateStrategy`, description, fields, { complete, validate });
}

function complete(strategy: DaemonSetUpdateStrategy): void {
  if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= { maxUnavailable: 1 };
}

function validate({ type, rollingUpdate }: DaemonSetUpdateStrategy, path: Path, errors: FieldErrors): void {
  if (type !== 'RollingUpdate' || !rollingUpdate) return;
  const { maxUnavailable = 1 } = rollingUpdate;
  const where = path.at('rollingUpdate').at('maxUnavailable');
  validateIntOrPercent(maxUnavailable, where, errors);
  if (isNone(maxUnavailable)) errors.invalid(where, maxUnavailable, 'no pod could ever be replaced');
  if ((percentOf(maxUnavailable) ?? 0) > 100) errors.invalid(where, maxUnavailable, 'must not be above 100%');
}
