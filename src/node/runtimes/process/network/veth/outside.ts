import { readFile, writeFile } from 'node:fs/promises';
import type { Logger } from '../../../../../base/logger.ts';
import { findProgram } from '../../host-tools.ts';
import { quote } from '../../shell-quote.ts';
import type { NetworkNames } from './network-names.ts';
import { quietly, type NetworkShell } from './network-shell.ts';

const forwardingFile = '/proc/sys/net/ipv4/ip_forward';

export interface OutsideOptions {
  readonly shell: NetworkShell;
  readonly names: NetworkNames;
  /** The addresses of the node's pods. */
  readonly cidr: string;
  readonly logger: Logger;
}

/**
 * Lets pods reach other machines under the address of this one, where the machine has a program for packet rules. The rules are the node's own: nothing that
 * is there is changed. Without such a program, or where the rules are refused, pods reach this machine and each other only.
 */
export async function openOutside({ shell, names, cidr, logger }: OutsideOptions): Promise<void> {
  const rules = findRules(names, cidr);
  if (!rules) {
    logger.info('pods reach this machine and each other only: there is neither nft nor iptables to lead them further');
    return;
  }
  try {
    await shell.run(`${rules.remove}\n${rules.add}`);
    await turnOnForwarding(logger);
  } catch (error) {
    logger.warn('pods reach this machine and each other only: the rules that would lead them further are refused', {
      error,
    });
  }
}

/** Whether this machine has a program for the rules that lead pods to other machines. */
export function canLeadOutside(): boolean {
  return findProgram('nft') !== undefined || findProgram('iptables') !== undefined;
}

/** Takes the rules back. Forwarding stays on: others may rely on it by now. */
export async function closeOutside(shell: NetworkShell, names: NetworkNames, cidr: string): Promise<void> {
  const rules = findRules(names, cidr);
  if (rules) await shell.run(rules.remove);
}

interface Rules {
  readonly add: string;
  /** Succeeds also where there is nothing to remove. */
  readonly remove: string;
}

function findRules(names: NetworkNames, cidr: string): Rules | undefined {
  const nft = findProgram('nft');
  if (nft !== undefined) return nftRules(quote(nft), names, cidr);
  const iptables = findProgram('iptables');
  return iptables === undefined ? undefined : iptablesRules(quote(iptables), names, cidr);
}

/** Whoever is outside does not get in by themselves, although packets are forwarded now. */
function nftRules(nft: string, { bridge, table }: NetworkNames, cidr: string): Rules {
  const add = `${nft} -f - <<'END'
table ip ${table} {
  chain postrouting {
    type nat hook postrouting priority 100;
    ip saddr ${cidr} oifname != "${bridge}" masquerade
  }
  chain forward {
    type filter hook forward priority 0;
    oifname "${bridge}" iifname != "${bridge}" ct state established,related accept
    oifname "${bridge}" iifname != "${bridge}" drop
  }
}
END`;
  return { add, remove: quietly(`${nft} delete table ip ${table}`) };
}

function iptablesRules(iptables: string, { bridge, table }: NetworkNames, cidr: string): Rules {
  const rule = `-s ${cidr} ! -o ${bridge} -m comment --comment ${table} -j MASQUERADE`;
  return {
    add: `${iptables} -w -t nat -A POSTROUTING ${rule}`,
    remove: quietly(`${iptables} -w -t nat -D POSTROUTING ${rule}`),
  };
}

async function turnOnForwarding(logger: Logger): Promise<void> {
  if ((await readFile(forwardingFile, 'utf8')).trim() !== '0') return;
  await writeFile(forwardingFile, '1');
  logger.info('this machine forwards packets now, so that pods reach others (net.ipv4.ip_forward)');
}
