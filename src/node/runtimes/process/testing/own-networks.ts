import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../../base/clock.ts';
import { whyNoVeth } from '../network/veth/try-out.ts';

/** Why tests cannot give pods networks of their own here; nothing when they can. That is up to the machine, in CI, too. */
export async function whyNoOwnNetworks(): Promise<string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-try-'));
  try {
    const reason = await whyNoVeth({ directory, clock: systemClock });
    return reason && `pods cannot have networks of their own here: ${reason}`;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
