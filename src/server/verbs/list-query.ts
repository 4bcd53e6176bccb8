import { badRequest } from '../../kinds/meta/api-error.ts';
import type { ListRequest } from '../../registry/list.ts';
import type { SelectableKind } from '../../registry/selectors/field-selector.ts';
import { parseSelection, type Selection } from '../../registry/selectors/selection.ts';
import type { Exchange } from '../exchange.ts';
import { integer } from './query.ts';

/** What of a collection is meant: by a list, and by the deletion of a collection. */
export function listRequest({ query, target }: Exchange): ListRequest {
  integer(query, 'timeoutSeconds');
  const version = query.get('resourceVersion');
  if (version && !/^\d+$/.test(version)) throw badRequest(`${JSON.stringify(version)} is no resourceVersion`);
  return {
    selection: readSelection(query, target.resource.served.kind),
    limit: pageSize(query),
    continue: query.get('continue') ?? undefined,
  };
}

export function readSelection(query: URLSearchParams, kind: SelectableKind): Selection {
  const labelSelector = query.get('labelSelector') ?? undefined;
  const fieldSelector = query.get('fieldSelector') ?? undefined;
  return parseSelection({ labelSelector, fieldSelector }, kind);
}

/** The reference does not know `limit`, so one that cannot be read, or kept to, asks for nothing. */
function pageSize(query: URLSearchParams): number | undefined {
  const limit = Number(query.get('limit') ?? NaN);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}
