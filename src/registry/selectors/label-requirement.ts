export type LabelOperator = 'in' | 'notIn' | 'exists' | 'notExists' | 'greater' | 'less';

/** Labels as objects carry them. */
export type Labels = Readonly<Record<string, string>>;

/** One condition on one label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** In order and each once; one for `greater` and `less`, none for `exists` and `notExists`. */
  readonly values: readonly string[];
}

/** Whether labels keep the requirement. A label that is not there counts as not being among the values. */
export function meets(requirement: LabelRequirement, labels: Labels | undefined): boolean {
  const found: unknown = labels?.[requirement.key];
  // A key such as `constructor` finds what every object inherits, which is no label.
  const value = typeof found === 'string' ? found : undefined;
  switch (requirement.operator) {
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notIn':
      return value === undefined || !requirement.values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'notExists':
      return value === undefined;
    case 'greater':
      return isNumber(value) && Number(value) > Number(requirement.values[0]);
    default:
      return isNumber(value) && Number(value) < Number(requirement.values[0]);
  }
}

const numberShape = /^-?\d+(?:\.\d+)?$/;

/** Whether `>` and `<` can compare this value. */
export function isNumber(value: string | undefined): boolean {
  return value !== undefined && numberShape.test(value);
}

/** The requirement in the syntax that selectors are written in. */
export function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'in':
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(',')})`;
    case 'notIn':
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} notin (${values.join(',')})`;
    case 'exists':
      return key;
    case 'notExists':
      return `!${key}`;
    case 'greater':
      return `${key}>${values[0]}`;
    default:
      return `${key}<${values[0]}`;
  }
}
