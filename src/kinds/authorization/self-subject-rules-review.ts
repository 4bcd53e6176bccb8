import { boolean, list, object, one, string, strings, type FieldsOf } from '../../schema/builders.ts';
import { dnsSubdomain } from '../../schema/formats.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { defineKind, kindSchema, type Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { authorizationApiVersion, authorizationGroup } from './authorization-group.ts';

const specFields = {
  namespace: string('The namespace that is asked about.').mandatory(),
};
export interface SelfSubjectRulesReviewSpec extends FieldsOf<typeof specFields> {}
const spec: ObjectSchema<SelfSubjectRulesReviewSpec> = object(
  'v1.SelfSubjectRulesReviewSpec',
  'Where the sender wants to do something.',
  specFields,
);

const resourceRuleFields = {
  verbs: strings('What may be done; * for everything.').mandatory(),
  apiGroups: strings('Groups of the resources; * for all.'),
  resources: strings('The resources; * for all.'),
  resourceNames: strings('The only objects that it may be done with; all when absent.'),
};
export interface ResourceRule extends FieldsOf<typeof resourceRuleFields> {}
const resourceRule: ObjectSchema<ResourceRule> = object(
  'v1.ResourceRule',
  'What may be done with resources.',
  resourceRuleFields,
);

const nonResourceRuleFields = {
  verbs: strings('Methods in small letters; * for all.').mandatory(),
  nonResourceURLs: strings('The paths; * may stand for the end of one.'),
};
export interface NonResourceRule extends FieldsOf<typeof nonResourceRuleFields> {}
const nonResourceRule: ObjectSchema<NonResourceRule> = object(
  'v1.NonResourceRule',
  'What may be done at other paths.',
  nonResourceRuleFields,
);

const statusFields = {
  resourceRules: list(resourceRule, 'What the sender may do with resources.').mandatory().always([]),
  nonResourceRules: list(nonResourceRule, 'What the sender may do at other paths.').mandatory().always([]),
  incomplete: boolean('Whether more may be allowed than is listed.').mandatory().always(false),
  evaluationError: string('What could not be found out.'),
};
export interface SubjectRulesReviewStatus extends FieldsOf<typeof statusFields> {}
const status: ObjectSchema<SubjectRulesReviewStatus> = object(
  'v1.SubjectRulesReviewStatus',
  'What the sender may do.',
  statusFields,
);

const reviewFields = {
  spec: one(spec, 'What is asked.').mandatory(),
  status: one(status, 'The answer; written by the server.'),
};
export interface SelfSubjectRulesReview extends ApiObject, FieldsOf<typeof reviewFields> {}

/** Asks what the sender may do in a namespace. Answered and never stored. */
export const selfSubjectRulesReview: Kind<SelfSubjectRulesReview> = defineKind<SelfSubjectRulesReview>({
  group: authorizationGroup,
  version: 'v1',
  kind: 'SelfSubjectRulesReview',
  resource: 'selfsubjectrulesreviews',
  namespaced: false,
  verbs: ['create'],
  nameFormat: dnsSubdomain,
  schema: kindSchema(
    {
      apiVersion: authorizationApiVersion,
      kind: 'SelfSubjectRulesReview',
      description: 'Asks what the sender may do in a namespace.',
    },
    reviewFields,
  ),
  example: {
    kind: 'SelfSubjectRulesReview',
    apiVersion: authorizationApiVersion,
    metadata: {},
    spec: { namespace: 'default' },
  },
});
