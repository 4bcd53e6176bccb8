import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory in which all nodes and clusters of this machine note which networks are theirs. */
export function networkRegistry(): string {
  return join(tmpdir(), 'wherry-networks');
}
