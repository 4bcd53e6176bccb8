import type { User } from '../../../registry/write.ts';

export const nodesGroup = 'system:nodes';
const prefix = 'system:node:';

/** The node whose agent this user is; undefined for everybody else. */
export function nodeNameOf({ name, groups }: User): string | undefined {
  if (!groups.includes(nodesGroup) || !name.startsWith(prefix)) return undefined;
  return name.slice(prefix.length) || undefined;
}
