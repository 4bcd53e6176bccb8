import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Clock } from '../../../../../base/clock.ts';
import type { AddressBlock } from '../../../../simulated/address-block.ts';
import { findHostTools, type HostTools } from '../../host-tools.ts';
import { networkRegistry } from '../network-registry.ts';
import { chooseBlock } from './choose-block.ts';
import { bridgeScript, joinScript, type PodLink } from './link-scripts.ts';
import { namespaceDirectory, networkNames } from './network-names.ts';
import { networkShell, quietly, type NetworkShell } from './network-shell.ts';
import { readUsedNetworks } from './used-networks.ts';
import { hasVethNetwork } from './veth-network.ts';

const run = promisify(execFile);

export interface TryOutOptions {
  /** The node's own directory. */
  readonly directory: string;
  readonly clock: Clock;
}

/**
 * Why pods cannot have networks of their own here; nothing when they can. It is found out by doing it: two pods are linked to a bridge for a moment, and
 * must reach each other and the machine, which packet rules of the machine may forbid. A node that has such a network already is not put to the test.
 */
export async function whyNoVeth({ directory, clock }: TryOutOptions): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`;
  if (process.getuid?.() !== 0) return 'that needs root';
  try {
    const tools = findHostTools();
    tools.find('nsenter', 'to run containers in networks of their own');
    const shell = networkShell(tools, clock);
    const owner = resolve(directory);
    if (await hasVethNetwork(owner)) return undefined;
    const used = await readUsedNetworks(shell, networkNames(owner));
    await tryOut(await chooseBlock({ purpose: 'pods', used, registry: networkRegistry(), owner }), shell, tools);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Uses the end of the block, and names that nobody else has. */
async function tryOut(block: AddressBlock, shell: NetworkShell, tools: HostTools): Promise<void> {
  const mark = randomBytes(4).toString('hex');
  const bridge = { bridge: `wht-${mark}`, address: block.at(block.size - 7), prefixLength: 29, mtu: 1500 };
  const pod = (number: number): PodLink => ({
    link: `wht${mark}-${number}`,
    namespace: `wherry-try-${mark}-${number}`,
    address: block.at(block.size - 7 + number),
  });
  const pods = [pod(1), pod(2)] as const;
  const { ip } = shell;
  try {
    const joins = pods.map((each) => joinScript(ip, each, bridge));
    await shell.run([bridgeScript(ip, bridge), ...joins].join('\n'));
    await checkReach(pods[0].namespace, { host: bridge.address, neighbour: pods[1].address }, tools);
  } finally {
    const removals = pods.map(({ namespace }) => quietly(`${ip} netns delete ${namespace}`));
    const links = [...pods.map(({ link }) => link), bridge.bridge];
    await shell.run([...links.map((link) => quietly(`${ip} link delete dev ${link}`)), ...removals].join('\n'));
  }
}

const patienceMs = 3000;

/** Connects to a port of the host and to one of the neighbour, where nobody listens: it is enough that it says so. Prints what went wrong. */
const program = `
  const [host, port, neighbour] = process.argv.slice(1);
  const connect = (host, port, wanted, what) => {
    const socket = require('node:net').connect({ host, port: Number(port) });
    const timer = setTimeout(() => { console.log(what + ': no answer; packet rules of this machine may be why'); process.exit(); }, ${patienceMs});
    const end = (outcome) => {
      clearTimeout(timer);
      socket.destroy();
      if (outcome !== wanted) console.log(what + ': ' + outcome);
    };
    socket.on('connect', () => end('connected')).on('error', ({ code }) => end(code));
  };
  connect(host, port, 'connected', 'pods would not reach this machine');
  connect(neighbour, 9, 'ECONNREFUSED', 'pods would not reach each other');
`;

interface Reach {
  readonly host: string;
  readonly neighbour: string;
}

async function checkReach(namespace: string, { host, neighbour }: Reach, tools: HostTools): Promise<void> {
  const server = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, host);
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const within = [`--net=${join(namespaceDirectory, namespace)}`, '--'];
    const command = [process.execPath, '-e', program, host, String(port), neighbour];
    const { stdout } = await run(tools.find('nsenter', ''), [...within, ...command], { timeout: 3 * patienceMs });
    if (stdout !== '') throw new Error(stdout.trim().split('\n')[0]);
  } finally {
    server.close();
  }
}
