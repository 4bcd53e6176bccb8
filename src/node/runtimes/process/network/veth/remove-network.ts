import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../../../../base/logger.ts';
import { podPrefixLength } from './choose-block.ts';
import { leaveScript } from './link-scripts.ts';
import { namespaceDirectory, networkNames, type NetworkNames } from './network-names.ts';
import { quietly, type NetworkShell } from './network-shell.ts';
import { closeOutside } from './outside.ts';

/** The links and namespaces of a node's pods that are there, by their names. */
export interface FoundParts {
  readonly links: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

export async function findParts({ ip, run }: NetworkShell, names: NetworkNames): Promise<FoundParts> {
  const lines = (await run(`${ip} -o link show type veth`)).split('\n');
  const links = lines.flatMap((line) => /^\d+:\s+([^:@\s]+)/.exec(line)?.[1] ?? []);
  const namespaces = await readdir(namespaceDirectory).catch(() => []);
  return {
    links: new Set(links.filter((name) => name.startsWith(names.linkPrefix))),
    namespaces: new Set(namespaces.filter((name) => name.startsWith(names.namespacePrefix))),
  };
}

/** Removes everything that the network of a node's pods has on the machine. */
export async function removeNetwork(shell: NetworkShell, names: NetworkNames): Promise<void> {
  const { links, namespaces } = await findParts(shell, names);
  const { ip } = shell;
  await shell.run(
    [
      ...Array.from(links, (name) => quietly(`${ip} link delete dev ${name}`)),
      ...Array.from(namespaces, (name) => quietly(`${ip} netns delete ${name}`)),
      quietly(`${ip} link delete dev ${names.bridge}`),
    ].join('\n'),
  );
}

/** Removes the routes that make addresses of services the machine's own; `openServiceRange` adds them. */
export function removeRoutes(ip: string, { routeMetric }: NetworkNames): string {
  const remove = `${ip} route delete local "$range" dev lo metric ${routeMetric}`;
  const each = `case "$sort $rest " in "local "*" metric ${routeMetric} "*) ${quietly(remove)} ;; esac`;
  return `${ip} -o -4 route show table local | while read -r sort range rest; do ${each}; done`;
}

/** Removes the pods at these positions of the node's block. */
export async function removePods(shell: NetworkShell, names: NetworkNames, positions: Iterable<number>): Promise<void> {
  const scripts = Array.from(positions, (position) =>
    leaveScript(shell.ip, { link: names.linkOf(position), namespace: names.namespaceOf(position) }),
  );
  if (scripts.length > 0) await shell.run(scripts.join('\n'));
}

/** Removes the networks of nodes whose directories are gone, such as those of a cluster that was killed and thrown away. */
export async function removeForsaken(shell: NetworkShell, registry: string, logger: Logger): Promise<void> {
  for (const name of await readdir(registry).catch(() => [])) {
    const file = join(registry, name);
    const owner = await readFile(file, 'utf8').catch(() => '');
    if (owner === '' || (await isThere(owner))) continue;
    logger.info('the network of a node that is gone is removed', { node: owner });
    const names = networkNames(owner);
    await closeOutside(shell, names, `${name}/${podPrefixLength}`);
    await removeNetwork(shell, names);
    await shell.run(removeRoutes(shell.ip, names));
    // Somebody else may have taken its place by now.
    if ((await readFile(file, 'utf8').catch(() => '')) === owner) await rm(file, { force: true });
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
