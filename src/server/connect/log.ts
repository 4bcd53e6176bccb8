import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { badRequest, invalid } from '../../kinds/meta/api-error.ts';
import { canonicalTime } from '../../schema/canonical.ts';
import { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { standardHeaders } from '../http/send-bytes.ts';
import { askNode, nodeOf, nodePath } from './ask-node.ts';
import { nodeRefusal } from './node-refusal.ts';
import { chooseContainer, findPod } from './pod-container.ts';
import { flag, integer } from '../verbs/query.ts';

/** The log of a container, as its node has it. There is none, and 204 says so, until the pod is on a node. */
export async function readLog(exchange: Exchange): Promise<Answer | undefined> {
  checkOptions(exchange);
  const pod = await findPod(exchange);
  const container = chooseContainer(pod, exchange.query.get('container'));
  const node = pod.spec?.nodeName;
  if (!node) {
    exchange.response.writeHead(204, standardHeaders(exchange.requestId)).end();
    return undefined;
  }
  const { namespace = '', name = '' } = pod.metadata;
  const path = nodePath(['containerLogs', namespace, name, container], nodeQuery(exchange.query));
  const sent = { method: 'GET', path, headers: { Accept: '*/*' } };
  const { message, switched } = await askNode(exchange, await nodeOf(exchange, node), sent);
  if (switched || message.statusCode !== 200) throw await nodeRefusal(node, message);
  await sendLog(exchange, message);
  return undefined;
}

const smallest = { sinceSeconds: 1, tailLines: 0, limitBytes: 1 };

function checkOptions({ query, target }: Exchange): void {
  const errors = new FieldErrors();
  for (const [name, least] of Object.entries(smallest)) {
    const value = integer(query, name);
    if (value !== undefined && value < least) errors.invalid(Path.of(name), value, `must be ${least} or more`);
  }
  const since = query.get('sinceTime');
  if (since && !canonicalTime(since)) throw badRequest(`${JSON.stringify(since)} is no time as in RFC 3339`);
  if (since && query.has('sinceSeconds')) errors.forbidden(Path.of('sinceSeconds'), 'not beside sinceTime');
  if (errors.any) throw invalid({ kind: 'PodLogOptions', name: target.name }, errors.list);
}

/** Only what was checked and means something to a node goes on to it. */
function nodeQuery(query: URLSearchParams): URLSearchParams {
  const sent = new URLSearchParams();
  for (const name of ['follow', 'previous', 'timestamps']) if (flag(query, name)) sent.set(name, 'true');
  for (const name of Object.keys(smallest)) {
    const value = integer(query, name);
    if (value !== undefined) sent.set(name, String(value));
  }
  const since = query.get('sinceTime');
  if (since) sent.set('sinceTime', since);
  return sent;
}

/** At the pace of the client, and for as long as it stays. */
async function sendLog(exchange: Exchange, log: IncomingMessage): Promise<void> {
  const { request, response, requestId, context } = exchange;
  response.writeHead(200, { ...standardHeaders(requestId), 'Content-Type': 'text/plain' });
  if (request.method === 'HEAD') {
    log.destroy();
    response.end();
    return;
  }
  // Whoever follows a quiet container learns at once that it is followed.
  response.flushHeaders();
  const forget = context.connections.add(() => log.destroy());
  try {
    await pipeline(log, response);
  } catch (error) {
    // Half a log cannot be taken back; cutting the connection tells the client that it is not whole.
    context.logger.debug('log broke off', { url: request.url, error });
    response.destroy();
  } finally {
    forget();
  }
}
