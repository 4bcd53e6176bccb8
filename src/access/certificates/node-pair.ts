import { readFile } from 'node:fs/promises';
import { dnsSubdomain } from '../../schema/formats.ts';
import { KeptPair } from './kept-pair.ts';
import { openKeyPair, type KeyPair } from './key-pair.ts';
import { providePair, type PairKeeping, type WantedPair } from './provide-pair.ts';

/** Refuses what names no node with a `RangeError`. */
export function checkNodeName(node: string): void {
  const flaw = dnsSubdomain.check(node);
  if (flaw) throw new RangeError(`${JSON.stringify(node)} cannot be the name of a node: ${flaw}`);
}

/** What a node serves its endpoint with; `names` are the addresses and names under which it is reached. */
export function wantedNodePair(node: string, names: readonly string[]): WantedPair {
  checkNodeName(node);
  const subject = { commonName: `system:node:${node}`, organizations: ['system:nodes'] };
  return { name: `node-${node}`, subject, use: 'server', names };
}

/** A pair that the node signs itself, for one that joins from outside and has no other. A look at it renews it where that is due. */
export function keepOwnNodePair(node: string, names: readonly string[], keeping: PairKeeping): Promise<KeptPair> {
  const wanted = wantedNodePair(node, names);
  return KeptPair.open(() => providePair(wanted, undefined, keeping));
}

/** A pair that somebody else keeps in two files. A look at it finds what they hold now; throws where that is no pair. */
export function followPairFiles(certificateFile: string, keyFile: string): Promise<KeptPair> {
  return KeptPair.open(async () => {
    try {
      const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
      const pair: KeyPair = { certificate, key };
      openKeyPair(pair);
      return pair;
    } catch (cause) {
      const why = (cause as Error).message;
      throw new RangeError(`${certificateFile} and ${keyFile} hold no certificate with its key: ${why}`, { cause });
    }
  });
}
