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
import type { Upgrade } from '../streams/upgrade.ts';
import { sendError, sendJson, sendText, warningHeaders } from './http/answer.ts';
import { findCall, type Call, type Dead } from './call.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { NodeConnections } from './connect/node-connections.ts';
import { OpenConnections } from './connect/open-connections.ts';
import { Documents } from './documents.ts';
import type { ComponentStatuses, Exchange, ServerContext } from './exchange.ts';
import { answerHealth, type HealthChecks } from './health.ts';
import { InFlightLimit } from './http/in-flight.ts';
import { TurnGate } from './http/turn-gate.ts';
import { sendBytes } from './http/send-bytes.ts';
import { sendDocument } from './openapi/send-document.ts';
import { withDefaults, type ServerLimits } from './limits.ts';
import { negotiate, negotiateStream, plainJson, type AnswerFormat } from './http/negotiate.ts';
import { word } from './verbs/query.ts';
import { pathAction, type Authenticate, type Authorize } from './request-action.ts';
import { RequestObserver } from './requests/request-observer.ts';
import type { RequestRecord } from './requests/request-record.ts';
import type { Routes } from './route.ts';
import { buildRoutes } from './routes.ts';
import { objectShapes, rowObjects, type RequestedShape } from './table/shape.ts';
import { WatchMeters } from './watch/watch-meters.ts';
import { acceptWatchSocket } from './watch/watch-socket.ts';
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
  readonly authenticate: Authenticate;
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

/** A request for a path that is no resource. */
interface WantedPath {
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

class Server implements ApiServer {
  readonly #parts: ApiServerParts;
  readonly #context: ServerContext;
  readonly #routes: Routes;
  readonly #documents: Documents;
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
      gate: new TurnGate(),
    };
    this.#routes = buildRoutes(parts.kinds, parts.answeredKinds);
    this.#documents = new Documents({ ...parts, metrics: this.#metrics, routes: this.#routes });
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
    // Most answers are there at once; waiting for those, too, would cost more than the rest of the way.
    const sender = this.#parts.authenticate(request);
    const user = sender instanceof Promise ? await sender : sender;
    record.user = user;
    const call = findCall(request, { path, query, routes: this.#routes });
    if (!call) return this.#answerPath(request, response, { state, path, query, user });
    if ('refusal' in call) return this.#refuseDead(call, response, user);
    const { target, operation, isWatch, action } = call;
    this.#observer.routed(record, call, action);
    if (operation.style === 'answer' && !isWatch) {
      state.format = negotiate(request.headers.accept, query, operation.shapes);
      this.#observer.entered(record, this.#inFlight.enter());
    }
    const verdict = this.#parts.authorize?.(user, action);
    if (verdict) await verdict;
    const shape = requestedShape(request, { query, isWatch, format: state.format });
    const requestId = record.id;
    const exchange = { request, response, target, query, user, shape, record, requestId, context: this.#context };
    // Whatever has a body waits when that is read.
    if (isPlainRead(request, call)) await this.#context.gate.wait();
    const answer = await operation.run(exchange);
    if (isWatch) this.#observer.streaming(record, response.statusCode);
    if (!answer) return;
    const { code, body, warnings } = answer;
    const sent = sendJson(exchange, {
      code,
      body,
      format: state.format,
      headers: warnings && warningHeaders(warnings),
    });
    if (sent) await sent;
  }

  /** Paths that are no resource. */
  async #answerPath(request: IncomingMessage, response: ServerResponse, wanted: WantedPath): Promise<void> {
    const { path, query, user, state } = wanted;
    await this.#parts.authorize?.(user, pathAction(request.method, path));
    const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const found = await this.#documents.find(trimmed, request.headers.accept);
    if (!found) throw pathNotFound(path);
    this.#observer.routedToPath(state.record, trimmed);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET');
      throw methodNotAllowed(request.method ?? '', { resource: path });
    }
    const exchange = { request, response, requestId: state.record.id };
    if ('described' in found) return sendDocument(exchange, found.described, query.get('hash'));
    if ('writeText' in found) {
      const body = Buffer.from(await found.writeText());
      return sendBytes(exchange, { code: 200, body, contentType: found.contentType });
    }
    state.format = negotiate(request.headers.accept, query);
    await sendJson(exchange, { code: 200, body: found.value, format: state.format });
  }

  /** What is wrong with a path or a method is told only to those who may do it where it is possible. */
  async #refuseDead({ refusal, action, allowed }: Dead, response: ServerResponse, user: User): Promise<never> {
    await this.#parts.authorize?.(user, action);
    if (allowed) response.setHeader('Allow', allowed.join(', '));
    throw refusal;
  }

  /** False when nothing at the path takes the connection for another protocol. */
  async #openSocket(upgrade: Upgrade, response: ServerResponse, record: RequestRecord): Promise<boolean> {
    const { request, socket } = upgrade;
    const { path, query } = splitUrl(request.url);
    record.path = path;
    const user = await this.#parts.authenticate(request);
    record.user = user;
    const call = findCall(request, { path, query, routes: this.#routes });
    if (!call) return false;
    if ('refusal' in call) return this.#refuseDead(call, response, user);
    const { target, operation, isWatch, action } = call;
    const isWatchSocket = isWatch && isForWebSocket(request);
    if (!isWatchSocket && !operation.takesUpgrades) return false;
    this.#observer.routed(record, call, action);
    await this.#parts.authorize?.(user, action);
    const exchange: Exchange = {
      request,
      response,
      target,
      query,
      user,
      shape: requestedShape(request, { query, isWatch, format: plainJson }),
      record,
      requestId: record.id,
      context: this.#context,
      upgrade: { ...upgrade, decline: () => this.#keepHttp(record, response, socket) },
    };
    if (isWatchSocket) await openWatch(exchange, () => acceptWatchSocket(upgrade, record.id));
    else await operation.run(exchange);
    if (!response.socket) this.#observer.switched(record, socket);
    return true;
  }

  async #refuse({ record, format }: AnswerState, response: ServerResponse, error: unknown): Promise<void> {
    const { logger } = this.#parts;
    const { request, id: requestId } = record;
    if (error instanceof ApiError) record.failure = error.status;
    await sendError({ request, response, requestId }, error, { format, logger, requestId });
  }
}

function isPlainRead({ method }: IncomingMessage, { operation, isWatch }: Call): boolean {
  return (method === 'GET' || method === 'HEAD') && operation.style === 'answer' && !isWatch;
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
  { isWatch, query, format }: { isWatch: boolean; query: URLSearchParams; format: AnswerFormat },
): RequestedShape | undefined {
  const shape = isWatch ? negotiateStream(request.headers.accept, objectShapes) : format.shape;
  return shape && { ...shape, rowObject: word(query, 'includeObject', rowObjects) };
}
