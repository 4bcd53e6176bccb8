import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { Metrics } from '../base/metrics/metrics.ts';
import type { Kind } from '../kinds/kind.ts';
import { ApiError, badRequest, methodNotAllowed, pathNotFound } from '../kinds/meta/api-error.ts';
import type { AnsweredKind } from '../registry/answered-kind.ts';
import type { Registry } from '../registry/registry.ts';
import type { User } from '../registry/write.ts';
import { sendError, sendJson, sendText, warningHeaders } from './http/answer.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import { AggregatedDocuments } from './aggregated-documents.ts';
import type { NodeConnections } from './connect/node-connections.ts';
import { OpenConnections } from './connect/open-connections.ts';
import { buildDiscovery, type Discovery } from './discovery.ts';
import type { ComponentStatuses, Exchange, ServerContext } from './exchange.ts';
import { answerHealth, type HealthChecks } from './health.ts';
import { InFlightLimit } from './http/in-flight.ts';
import { sendBytes, type HttpExchange } from './http/send-bytes.ts';
import type { DescribedDocument } from './openapi/described-document.ts';
import { Descriptions } from './openapi/descriptions.ts';
import { sendDocument } from './openapi/send-document.ts';
import { withDefaults, type ServerLimits } from './limits.ts';
import { negotiate, negotiateShape, plainJson, type AnswerFormat } from './http/negotiate.ts';
import { flag, word } from './verbs/query.ts';
import { actionOf, impossibleVerb, pathAction, type Authorize } from './request-action.ts';
import { parseTarget, type RequestTarget } from './request-target.ts';
import { RequestObserver } from './requests/request-observer.ts';
import type { RequestRecord } from './requests/request-record.ts';
import type { Operation, Routes } from './route.ts';
import { buildRoutes } from './routes.ts';
import { objectShapes, rowObjects, type RequestedShape } from './table/shape.ts';
import { versionInfo } from './version.ts';
import { WatchMeters } from './watch/watch-meters.ts';
import { acceptWatchSocket, type Upgrade } from './watch/watch-socket.ts';
import { WatchSessions } from './watch/watch-sessions.ts';
import { WatchViews } from './watch/watch-view.ts';
import { openWatch } from './watch/watch.ts';

export interface ApiServerParts {
  readonly registry: Registry;
  readonly kinds: readonly Kind[];
  readonly answeredKinds?: readonly AnsweredKind[];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Who asks; refuses with 401. */
  readonly authenticate: (request: IncomingMessage) => Promise<User>;
  /** Whether they may; everything is allowed when absent. */
  readonly authorize?: Authorize;
  readonly componentStatuses: ComponentStatuses;
  readonly health: HealthChecks;
  /** The release of this program, for `/version`. */
  readonly release: string;
  readonly limits?: Partial<ServerLimits>;
  /** What `/metrics` tells; the server adds its own. */
  readonly metrics?: Metrics;
  /** Where it is written down who did what; nowhere when absent. */
  readonly audit?: AuditTrail;
  /** How nodes are reached for logs, commands and ports of their pods; not at all when absent. */
  readonly nodes?: NodeConnections;
}

/** The API over HTTP, without a port of its own. */
export interface ApiServer {
  /** Answers a request; never rejects. */
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Takes a connection that asks for another protocol: watches as WebSockets, commands, ports, and what is proxied to. Never rejects. */
  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Ends all watches cleanly, and the connections to nodes and what is proxied to. */
  close(): void;
}

export function createApiServer(parts: ApiServerParts): ApiServer {
  return new Server(parts);
}

/** A request that is known to lead somewhere. */
interface Call {
  readonly target: RequestTarget;
  readonly operation: Operation;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  /** What authorization calls it. */
  readonly verb: string;
}

/** What a request asks for, before it is known whether that can be done. */
interface WantedCall {
  readonly target: RequestTarget;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: User;
}

interface PathCall extends HttpExchange {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly state: AnswerState;
}

/** What becomes known of an answer on the way. */
interface AnswerState {
  readonly record: RequestRecord;
  format: AnswerFormat;
}

const metricsPath = '/metrics';

const otherPaths = [
  '/version',
  '/healthz',
  '/healthz/ping',
  '/livez',
  '/metrics',
  '/readyz',
  '/openapi/v2',
  '/openapi/v3',
  '/swaggerapi',
];

class Server implements ApiServer {
  readonly #parts: ApiServerParts;
  readonly #context: ServerContext;
  readonly #routes: Routes;
  readonly #discovery: Discovery;
  readonly #aggregated: AggregatedDocuments;
  readonly #descriptions: Descriptions;
  readonly #inFlight: InFlightLimit;
  readonly #metrics: Metrics;
  readonly #observer: RequestObserver;

  constructor(parts: ApiServerParts) {
    this.#parts = parts;
    const limits = withDefaults(parts.limits ?? {});
    this.#metrics = parts.metrics ?? new Metrics();
    this.#observer = new RequestObserver({ ...parts, metrics: this.#metrics });
    this.#context = {
      ...parts,
      limits,
      watches: new WatchSessions(),
      connections: new OpenConnections(),
      views: new WatchViews(parts.clock),
      watchMeters: new WatchMeters(this.#metrics),
    };
    const { kinds, answeredKinds, release } = parts;
    this.#routes = buildRoutes(kinds, answeredKinds);
    this.#discovery = buildDiscovery({ kinds, answeredKinds, otherPaths });
    this.#aggregated = new AggregatedDocuments(this.#discovery);
    const described = { kinds, answeredKinds, routes: this.#routes, discovery: this.#discovery, release };
    this.#descriptions = new Descriptions(described);
    this.#inFlight = new InFlightLimit(limits.requestsInFlight || Infinity);
  }

  async handler(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const record = this.#observer.begin(request);
    await this.#serve(record, response);
  }

  async onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.end());
    const record = this.#observer.begin(request);
    try {
      if (await this.#openSocket({ request, socket, head }, response, record)) return;
      // Nothing here speaks the protocol asked for, so the request is answered as if it had not asked.
      response.assignSocket(socket as Socket);
      await this.#serve(record, response);
    } catch (error) {
      if (!response.socket) this.#keepHttp(record, response, socket);
      await this.#refuse({ record, format: plainJson }, response, error);
    }
  }

  close(): void {
    this.#context.watches.close();
    this.#context.connections.close();
  }

  /** A request for another protocol gets an ordinary answer, and the connection ends with it. */
  #keepHttp(record: RequestRecord, response: ServerResponse, socket: Duplex): void {
    response.assignSocket(socket as Socket);
    this.#observer.endWith(record, response);
  }

  async #serve(record: RequestRecord, response: ServerResponse): Promise<void> {
    this.#observer.endWith(record, response);
    const state = { record, format: plainJson };
    try {
      await this.#answer(record.request, response, state);
    } catch (error) {
      await this.#refuse(state, response, error);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, state: AnswerState): Promise<void> {
    const { record } = state;
    const { path, query } = splitUrl(request.url);
    record.path = path;
    const health = path.startsWith('/api') ? undefined : await answerHealth(path, query, this.#parts.health);
    // Health is for everybody: who probes has no credentials.
    if (health) {
      this.#observer.routedToProbe(record, path);
      return sendText({ request, response, requestId: record.id }, health);
    }
    const user = await this.#parts.authenticate(request);
    record.user = user;
    const target = await this.#findTarget(request, path, user);
    if (!target) return this.#answerPath({ request, response, requestId: record.id, path, query, user, state });
    const call = await this.#findCall(request, response, { target, path, query, user });
    const action = actionOf({ target, verb: call.verb, path, query });
    this.#observer.routed(record, call, action);
    if (call.operation.style === 'answer' && !call.isWatch) {
      state.format = negotiate(request.headers.accept, query, call.operation.shapes);
      this.#observer.entered(record, this.#inFlight.enter());
    }
    await this.#parts.authorize?.(user, action);
    const shape = requestedShape(request, call, state.format);
    const exchange = {
      request,
      response,
      target,
      query,
      user,
      shape,
      record,
      requestId: record.id,
      context: this.#context,
    };
    const answer = await call.operation.run(exchange);
    if (call.isWatch) this.#observer.streaming(record, response.statusCode);
    if (!answer) return;
    const headers = answer.warnings && warningHeaders(answer.warnings);
    await sendJson(exchange, { code: answer.code, body: answer.body, format: state.format, headers });
  }

  /** Paths that are no resource: discovery, descriptions and version. */
  async #answerPath(call: PathCall): Promise<void> {
    const { request, response, path, query, user, state } = call;
    await this.#parts.authorize?.(user, pathAction(request.method, path));
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const described = await this.#describedAt(trimmed, request.headers.accept);
    const found = described ?? this.#documentAt(trimmed);
    if (!found) throw pathNotFound(path);
    this.#observer.routedToPath(state.record, trimmed);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed(request, response, path, ['GET']);
    if (trimmed === metricsPath) return this.#sendMetrics(call);
    if (described) return sendDocument(call, described, query.get('hash'));
    state.format = negotiate(request.headers.accept, query);
    await sendJson(call, { code: 200, body: found, format: state.format });
  }

  async #sendMetrics(call: PathCall): Promise<void> {
    const contentType = 'text/plain; version=0.0.4; charset=utf-8';
    await sendBytes(call, { code: 200, body: Buffer.from(await this.#metrics.text()), contentType });
  }

  #documentAt(path: string): Buffer | object | undefined {
    if (path === metricsPath) return {};
    return path === '/version' ? versionInfo(this.#parts.release) : this.#discovery.get(path);
  }

  /** Documents that know their own form: descriptions of the API, and discovery in one answer. */
  async #describedAt(path: string, accept: string | undefined): Promise<DescribedDocument | undefined> {
    return (await this.#descriptions.find(path, accept)) ?? this.#aggregated.find(path, accept);
  }

  /** False when nothing at the path takes the connection for another protocol. */
  async #openSocket(upgrade: Upgrade, response: ServerResponse, record: RequestRecord): Promise<boolean> {
    const { request, socket } = upgrade;
    const { path, query } = splitUrl(request.url);
    record.path = path;
    const user = await this.#parts.authenticate(request);
    record.user = user;
    const target = await this.#findTarget(request, path, user);
    if (!target) return false;
    const call = await this.#findCall(request, response, { target, path, query, user });
    const isWatchSocket = call.isWatch && isForWebSocket(request);
    if (!isWatchSocket && !call.operation.takesUpgrades) return false;
    const action = actionOf({ target, verb: call.verb, path, query });
    this.#observer.routed(record, call, action);
    await this.#parts.authorize?.(user, action);
    const exchange: Exchange = {
      request,
      response,
      target,
      query,
      user,
      shape: requestedShape(request, call, plainJson),
      record,
      requestId: record.id,
      context: this.#context,
      upgrade: { ...upgrade, decline: () => this.#keepHttp(record, response, socket) },
    };
    if (isWatchSocket) await openWatch(exchange, () => acceptWatchSocket(upgrade, record.id));
    else await call.operation.run(exchange);
    if (!response.socket) this.#observer.switched(record, socket);
    return true;
  }

  /** What is wrong with a path is told only to those who may ask for it. */
  async #findTarget(request: IncomingMessage, path: string, user: User): Promise<RequestTarget | undefined> {
    try {
      return parseTarget(path, this.#routes);
    } catch (error) {
      await this.#parts.authorize?.(user, pathAction(request.method, path));
      throw error;
    }
  }

  /** Also that something is not possible is told only to those who may do it where it is. */
  async #findCall(request: IncomingMessage, response: ServerResponse, wanted: WantedCall): Promise<Call> {
    const { target, path, query, user } = wanted;
    const method = request.method ?? 'GET';
    const { endpoint, resource, subresource, name } = target;
    const operation = endpoint.get(method) ?? (method === 'HEAD' ? endpoint.get('GET') : undefined);
    if (!operation) {
      await this.#parts.authorize?.(user, actionOf({ target, verb: impossibleVerb(method, target), path, query }));
      const what = subresource ? `${resource.name}/${subresource}` : resource.name;
      throw notAllowed(request, response, { resource: what, name }, [...endpoint.keys()]);
    }
    const watchable = operation.verb === 'list' && resource.served.kind.verbs.includes('watch');
    const isWatch = operation.verb === 'watch' || (watchable && flag(query, 'watch'));
    return { target, operation, query, isWatch, verb: isWatch ? 'watch' : operation.verb };
  }

  async #refuse({ record, format }: AnswerState, response: ServerResponse, error: unknown): Promise<void> {
    const { logger } = this.#parts;
    const { request, id: requestId } = record;
    if (error instanceof ApiError) record.failure = error.status;
    await sendError({ request, response, requestId }, error, { format, logger, requestId });
  }
}

function isForWebSocket({ headers, method }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

const noQuery = new URLSearchParams();

/** The path still encoded, and the query. Also takes whole URLs, as proxies send them. */
function splitUrl(url = '/'): { path: string; query: URLSearchParams } {
  const text = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  if (!text.startsWith('/')) throw badRequest(`${JSON.stringify(url)} is no path`);
  const mark = text.indexOf('?');
  if (mark < 0) return { path: text, query: noQuery };
  return { path: text.slice(0, mark), query: new URLSearchParams(text.slice(mark + 1)) };
}

/** What objects are to be turned into, on their way into an answer or a stream. */
function requestedShape(
  request: IncomingMessage,
  { isWatch, query }: Call,
  format: AnswerFormat,
): RequestedShape | undefined {
  const shape = isWatch ? negotiateShape(request.headers.accept, objectShapes) : format.shape;
  return shape && { ...shape, rowObject: word(query, 'includeObject', rowObjects) };
}

function notAllowed(
  request: IncomingMessage,
  response: ServerResponse,
  subject: string | { resource: string; name?: string },
  methods: readonly string[],
): Error {
  response.setHeader('Allow', methods.join(', '));
  return methodNotAllowed(request.method ?? '', typeof subject === 'string' ? { resource: subject } : subject);
}
