import type { IncomingMessage, ServerResponse } from 'node:http';
import { every, type Clock } from '../../base/clock.ts';
import { ApiError, badRequest, internalError, methodNotAllowed, pathNotFound } from '../../kinds/meta/api-error.ts';
import { acceptCommand, acceptPortForward } from '../../streams/accept.ts';
import { readCommandQuery, readPortsQuery, type CommandQuery } from '../../streams/node-query.ts';
import type { Upgrade } from '../../streams/upgrade.ts';
import { sendLog } from './container-log.ts';
import { forwardPorts } from './forward-ports.ts';
import { findContainer, findPod, runningContainer, specOf, type HostedPods, type PodAddress } from './hosted-pods.ts';
import { attachTo, runCommand } from './run-command.ts';
import type { UsageSummaries } from './usage-summary.ts';

export interface NodeRequestsOptions {
  readonly pods: HostedPods;
  readonly clock: Clock;
  readonly usage: UsageSummaries;
}

/** What a path asks for: `/exec/namespace/pod/container`, or with the pod's uid before the container. */
interface NodeTarget {
  readonly verb: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Does what requests to a node ask for. Refusals are `ApiError`s. */
export class NodeRequests {
  readonly #options: NodeRequestsOptions;

  constructor(options: NodeRequestsOptions) {
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { verb, segments, query } = targetOf(request);
    if (streamVerbs.has(verb)) throw badRequest(`${verb} needs a connection that becomes SPDY/3.1 or websocket`);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw methodNotAllowed(request.method ?? '', { resource: verb });
    }
    switch ([verb, ...segments].join('/')) {
      case 'healthz':
        response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
        return;
      case 'pods':
        return this.#sendPods(response);
      case 'stats/summary':
        return sendJson(response, await this.#options.usage.read());
      default:
    }
    if (verb !== 'containerLogs') throw pathNotFound(request.url ?? '');
    const { pods, clock } = this.#options;
    const { address, container } = containerOf(segments, request);
    await sendLog(findContainer(findPod(pods, address), container), query, response, clock);
  }

  /** Resolves when the connection is over. */
  async stream(upgrade: Upgrade): Promise<void> {
    const target = targetOf(upgrade.request);
    const { pods } = this.#options;
    if (target.verb === 'portForward') {
      const pod = findPod(pods, podOf(target.segments, upgrade.request));
      if (!pod.podIP) throw badRequest(`pod ${pod.pod.metadata.name} has no address yet`);
      const forwarding = await acceptPortForward(upgrade, portsOf(target.query));
      await forwardPorts(this.#keepAlive(forwarding), (port, signal) => pod.connect(port, signal));
      return;
    }
    if (!streamVerbs.has(target.verb)) throw pathNotFound(upgrade.request.url ?? '');
    await this.#runOrAttach(upgrade, target);
  }

  async #runOrAttach(upgrade: Upgrade, { verb, segments, query }: NodeTarget): Promise<void> {
    const { pods, clock } = this.#options;
    const { address, container } = containerOf(segments, upgrade.request);
    const pod = findPod(pods, address);
    const running = runningContainer(findContainer(pod, container));
    const request = commandRequest(query);
    const spec = specOf(pod, container);
    if (verb === 'attach') {
      if (request.stdin && !spec?.stdin) throw badRequest(`container ${JSON.stringify(container)} takes no input`);
      const streams = this.#keepAlive(await acceptCommand(upgrade, request, clock));
      return attachTo(running, { endsInput: spec?.stdinOnce ?? false }, streams);
    }
    if (request.command.length === 0) throw badRequest('exec needs a command');
    return runCommand(running, request, this.#keepAlive(await acceptCommand(upgrade, request, clock)));
  }

  /** Notices clients that leave while they are not read from, because what they sent is not wanted yet. */
  #keepAlive<T extends Pinged>(streams: T): T {
    const timer = every(this.#options.clock, pingMs, () => streams.ping());
    void streams.closed.then(() => timer.cancel());
    return streams;
  }

  #sendPods(response: ServerResponse): void {
    const items = this.#options.pods.list().map((pod) => pod.shown());
    sendJson(response, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
  }
}

interface Pinged {
  readonly closed: Promise<void>;
  ping(): void;
}

const pingMs = 30_000;
const streamVerbs: ReadonlySet<string> = new Set(['exec', 'attach', 'portForward']);

function targetOf({ url = '/' }: IncomingMessage): NodeTarget {
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const [verb = '', ...segments] = path.split('/').filter((segment) => segment !== '').map(decoded); // prettier-ignore
  return { verb, segments, query: new URLSearchParams(query) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw badRequest(`${JSON.stringify(segment)} is no part of a path`, { cause });
  }
}

function podOf([namespace, name, uid, ...rest]: readonly string[], request: IncomingMessage): PodAddress {
  if (namespace === undefined || name === undefined || rest.length > 0) throw pathNotFound(request.url ?? '');
  return { namespace, name, uid };
}

function containerOf(
  segments: readonly string[],
  request: IncomingMessage,
): { readonly address: PodAddress; readonly container: string } {
  const container = segments.at(-1);
  if (container === undefined || segments.length < 3) throw pathNotFound(request.url ?? '');
  return { address: podOf(segments.slice(0, -1), request), container };
}

function commandRequest(query: URLSearchParams): CommandQuery {
  const request = readCommandQuery(query);
  if (request.stdin || request.stdout || request.stderr) return request;
  throw badRequest('ask for at least one of stdin, stdout and stderr');
}

function portsOf(query: URLSearchParams): number[] {
  const ports = readPortsQuery(query);
  if (!ports) throw badRequest('port must be a number from 1 to 65535, or several with commas between');
  return ports;
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The refusal that an error is; whatever is none is a failure of this node. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return internalError(error instanceof Error ? error.message : String(error), { cause: error });
}
