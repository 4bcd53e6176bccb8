import { formatRequirement, meets, type LabelRequirement, type Labels } from './label-requirement.ts';
import { parseRequirements } from './label-selector-parser.ts';

/** Conditions on labels that must all hold. Matching allocates nothing. */
export class LabelSelector {
  static readonly everything = new LabelSelector([]);

  readonly requirements: readonly LabelRequirement[];
  /** For each label that must have one out of some values, those values: what an index can look up. None means nothing can match. */
  readonly exact: ReadonlyMap<string, readonly string[]>;

  constructor(requirements: readonly LabelRequirement[]) {
    this.requirements = requirements;
    this.exact = exactValues(requirements);
  }

  get isEverything(): boolean {
    return this.requirements.length === 0;
  }

  matches(labels: Labels | undefined): boolean {
    for (const requirement of this.requirements) {
      if (!meets(requirement, labels)) return false;
    }
    return true;
  }

  /** The same selector in its canonical spelling. */
  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

function exactValues(requirements: readonly LabelRequirement[]): Map<string, readonly string[]> {
  const exact = new Map<string, readonly string[]>();
  for (const { key, operator, values } of requirements) {
    if (operator !== 'in') continue;
    const others = exact.get(key);
    exact.set(key, others ? others.filter((value) => values.includes(value)) : values);
  }
  return exact;
}

/** Reads `app=web,tier in (fe,be),!old`; refuses with 400 what cannot be read, saying where. Empty selects everything. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = parseRequirements(text);
  return requirements.length === 0 ? LabelSelector.everything : new LabelSelector(requirements);
}
