import { selfSubjectReview } from '../../../kinds/authentication/self-subject-review.ts';
import { tokenRequest } from '../../../kinds/authentication/token-request.ts';
import { tokenReview } from '../../../kinds/authentication/token-review.ts';
import { selfSubjectAccessReview } from '../../../kinds/authorization/self-subject-access-review.ts';
import { selfSubjectRulesReview } from '../../../kinds/authorization/self-subject-rules-review.ts';
import { localSubjectAccessReview, subjectAccessReview } from '../../../kinds/authorization/subject-access-review.ts';
import { serviceAccount } from '../../../kinds/core/service-account.ts';
import { kinds } from '../../../kinds/index.ts';
import { nodeMetrics } from '../../../kinds/metrics/node-metrics.ts';
import { podMetrics } from '../../../kinds/metrics/pod-metrics.ts';
import type { Kind } from '../../../kinds/kind.ts';
import type { AnsweredKind, AnsweringParent } from '../../../registry/answered-kind.ts';
import { buildDiscovery } from '../../discovery.ts';
import { buildRoutes } from '../../routes.ts';
import { describeApi, type ApiDescription, type ApiParts } from '../api-description.ts';

function answering(kind: Kind, parent?: AnsweringParent): AnsweredKind {
  return { kind, parent, answer: (object) => Promise.resolve(object) };
}

const answeredKinds: readonly AnsweredKind[] = [
  answering(tokenReview),
  answering(selfSubjectReview),
  answering(tokenRequest, { kind: serviceAccount, subresource: 'token' }),
  answering(subjectAccessReview),
  answering(localSubjectAccessReview),
  answering(selfSubjectAccessReview),
  answering(selfSubjectRulesReview),
  { kind: nodeMetrics, read: () => Promise.resolve([]) },
  { kind: podMetrics, read: () => Promise.resolve([]) },
];

/** The API with every kind there is. */
export function allParts(): ApiParts {
  const routes = buildRoutes(kinds, answeredKinds);
  return { kinds, answeredKinds, routes, discovery: buildDiscovery({ kinds, answeredKinds }), release: '0.0.0' };
}

export function describedApi(): ApiDescription {
  return describeApi(allParts());
}

/** Every value in a document that stands under this name, however deep, with the place it was found at. */
export function valuesNamed(name: string, within: unknown, place = ''): { place: string; value: unknown }[] {
  if (typeof within !== 'object' || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) => {
    const here = `${place}/${key}`;
    return [...(key === name ? [{ place: here, value: value as unknown }] : []), ...valuesNamed(name, value, here)];
  });
}
