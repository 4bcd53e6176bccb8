/** One line of a policy file, in its newer form. Empty texts match nothing but the empty text; `*` matches anything. */
export interface Policy {
  readonly user: string;
  readonly group: string;
  /** Only get, list and watch. */
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly namespace: string;
  readonly resource: string;
  /** May end in `*`. */
  readonly nonResourcePath: string;
}

const fieldTypes: Readonly<Record<keyof Policy, 'string' | 'boolean'>> = {
  user: 'string',
  group: 'string',
  readonly: 'boolean',
  apiGroup: 'string',
  namespace: 'string',
  resource: 'string',
  nonResourcePath: 'string',
};
const flatFields: readonly string[] = ['user', 'group', 'readonly', 'resource', 'namespace'];

const apiVersion = 'abac.authorization.kubernetes.io/v1beta1';
const everybody = 'system:authenticated';

/** Reads one line; throws an `Error` that says what is wrong with it. */
export function parsePolicy(line: string): Policy {
  const value = parseObject(line);
  if (value['apiVersion'] === undefined && value['kind'] === undefined) return fromFlat(value);
  if (value['apiVersion'] !== apiVersion || value['kind'] !== 'Policy') {
    throw new Error(`apiVersion and kind must be "${apiVersion}" and "Policy", or both be left out`);
  }
  const { spec } = value;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) throw new Error('spec must be an object');
  const policy = readFields(spec as Record<string, unknown>, Object.keys(fieldTypes));
  const isEverybody = policy.user === '*' || policy.group === '*';
  return isEverybody ? { ...policy, user: policy.user === '*' ? '' : policy.user, group: everybody } : policy;
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('it is no JSON object');
  return value as Record<string, unknown>;
}

/** The older form: what it leaves out matches anything, and all groups of resources are meant. */
function fromFlat(value: Record<string, unknown>): Policy {
  const flat = readFields(value, flatFields);
  const isEverybody = (!flat.user && !flat.group) || flat.user === '*' || flat.group === '*';
  return {
    ...flat,
    user: isEverybody ? '' : flat.user,
    group: isEverybody ? everybody : flat.group,
    apiGroup: '*',
    namespace: flat.namespace || '*',
    resource: flat.resource || '*',
    nonResourcePath: flat.namespace || flat.resource ? '' : '*',
  };
}

/** A misspelt field would allow more than was meant, so every field must be known. */
function readFields(value: Record<string, unknown>, known: readonly string[]): Policy {
  for (const [name, each] of Object.entries(value)) {
    if (!known.includes(name)) throw new Error(`there is no field ${JSON.stringify(name)}; use ${known.join(', ')}`);
    const type = fieldTypes[name as keyof Policy];
    if (typeof each !== type) throw new Error(`${name} must be a ${type}`);
  }
  const empty = {
    user: '',
    group: '',
    readonly: false,
    apiGroup: '',
    namespace: '',
    resource: '',
    nonResourcePath: '',
  };
  return { ...empty, ...(value as Partial<Policy>) };
}
