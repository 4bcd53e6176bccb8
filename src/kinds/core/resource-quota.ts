import { object, one, quantities, strings, type FieldsOf } from '../../schema/builders.ts';
import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import { nanosOf } from '../../schema/quantity.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { ageColumn, nameColumn, type Column } from '../column.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { computeResources, countedResources, quotaResourceName } from './resource-names.ts';

const resourceQuotaSpecFields = {
  hard: quantities('The most of each resource that the namespace may use.'),
  scopes: strings('Which pods the quota is about; all of them when empty.'),
};
export interface ResourceQuotaSpec extends FieldsOf<typeof resourceQuotaSpecFields> {}
const resourceQuotaSpec: ObjectSchema<ResourceQuotaSpec> = object(
  'v1.ResourceQuotaSpec',
  'The bounds of a namespace.',
  resourceQuotaSpecFields,
  { validate: validateSpec },
);

/** For each scope, the resources that a quota with that scope can bound. */
const resourcesOfScope: Readonly<Record<string, readonly string[]>> = {
  Terminating: ['pods', ...computeResources],
  NotTerminating: ['pods', ...computeResources],
  BestEffort: ['pods'],
  NotBestEffort: ['pods', ...computeResources],
};
/** A pod is never in both. */
const contraryScopes: readonly (readonly [string, string])[] = [
  ['Terminating', 'NotTerminating'],
  ['BestEffort', 'NotBestEffort'],
];

function validateSpec(spec: ResourceQuotaSpec, path: Path, errors: FieldErrors): void {
  const { hard = {}, scopes = [] } = spec;
  validateAmounts(hard, path.at('hard'), errors);
  for (const scope of scopes) validateScope(scope, Object.keys(hard), path.at('scopes'), errors);
  for (const [scope, contrary] of contraryScopes) {
    if (scopes.includes(scope) && scopes.includes(contrary)) {
      errors.invalid(path.at('scopes'), scopes, `${scope} and ${contrary} exclude each other`);
    }
  }
}

function validateAmounts(amounts: Record<string, string>, path: Path, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const wrong = quotaResourceName.check(name);
    if (wrong) errors.invalid(path.key(name), name, wrong);
    const nanos = nanosOf(amount);
    if (nanos < 0n) errors.invalid(path.key(name), amount, 'must not be negative');
    if (countedResources.includes(name) && nanos % 1_000_000_000n !== 0n) {
      errors.invalid(path.key(name), amount, 'must be a whole number');
    }
  }
}

/** The reference names the list of scopes, not the item. */
function validateScope(scope: string, names: readonly string[], path: Path, errors: FieldErrors): void {
  const possible = Object.hasOwn(resourcesOfScope, scope) ? resourcesOfScope[scope] : undefined;
  if (!possible) {
    errors.invalid(path, scope, `use ${Object.keys(resourcesOfScope).join(', ')}`);
    return;
  }
  // Resources of someone's own may have any scope.
  const wrong = names.filter(
    (name) => !name.includes('/') && !quotaResourceName.check(name) && !possible.includes(name),
  );
  for (const name of wrong) errors.invalid(path, scope, `this scope is not for ${name}`);
}

const resourceQuotaStatusFields = {
  hard: quantities('The bounds that are in force.'),
  used: quantities('How much of each resource is in use.'),
};
export interface ResourceQuotaStatus extends FieldsOf<typeof resourceQuotaStatusFields> {}
const resourceQuotaStatus: ObjectSchema<ResourceQuotaStatus> = object(
  'v1.ResourceQuotaStatus',
  'The bounds in force, and what is in use.',
  resourceQuotaStatusFields,
  { validate: validateStatus },
);

function validateStatus(status: ResourceQuotaStatus, path: Path, errors: FieldErrors): void {
  validateAmounts(status.hard ?? {}, path.at('hard'), errors);
  validateAmounts(status.used ?? {}, path.at('used'), errors);
}

const resourceQuotaFields = {
  spec: one(resourceQuotaSpec, 'The bounds of the namespace.').defaultsTo({}),
  status: one(resourceQuotaStatus, 'The bounds in force, and what is in use.').defaultsTo({}),
};
export interface ResourceQuota extends ApiObject, FieldsOf<typeof resourceQuotaFields> {}

function resetStatus(quota: ResourceQuota): void {
  quota.status = {};
}

function validateQuotaUpdate(quota: ResourceQuota, old: ResourceQuota, errors: FieldErrors): void {
  const [scopes, oldScopes] = [new Set(quota.spec?.scopes), new Set(old.spec?.scopes)];
  if (scopes.size === oldScopes.size && [...scopes].every((scope) => oldScopes.has(scope))) return;
  errors.invalid(Path.of('spec', 'scopes'), quota.spec?.scopes, 'the scopes cannot be changed');
}

/** `used/hard` for each bound, in order of names. */
function usage({ status }: ResourceQuota, isShown: (name: string) => boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter(isShown);
  return names
    .sort()
    .map((name) => `${name}: ${status?.used?.[name] ?? '0'}/${status?.hard?.[name]}`)
    .join(', ');
}

const limitPrefix = 'limits.';

const columns: readonly Column<ResourceQuota>[] = [
  nameColumn,
  ageColumn,
  {
    name: 'Request',
    description: 'What is asked for and counted, of what there may be.',
    read: (quota) => usage(quota, (name) => !name.startsWith(limitPrefix)),
  },
  {
    name: 'Limit',
    description: 'The limits of pods, of what they may be together.',
    read: (quota) => usage(quota, (name) => name.startsWith(limitPrefix)),
  },
];

export const resourceQuota: Kind<ResourceQuota> = defineKind<ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  resource: 'resourcequotas',
  shortNames: ['quota'],
  namespaced: true,
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    { apiVersion: 'v1', kind: 'ResourceQuota', description: 'The most that a namespace may use.' },
    resourceQuotaFields,
  ),
  hasStatus: true,
  deleteAnswersObject: true,
  columns,
  example: {
    kind: 'ResourceQuota',
    apiVersion: 'v1',
    metadata: { name: 'bounds' },
    spec: { hard: { pods: '10' } },
    status: {},
  },
  prepareForCreate: resetStatus,
  validateUpdate: validateQuotaUpdate,
  prepareForExport: resetStatus,
});
