import { badRequest, invalid, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { standardHeaders } from '../http/send-bytes.ts';
import { chooseContainer, findPod } from './pod-container.ts';
import { integer } from '../verbs/query.ts';

/** The log of a container. There is none, and 204 says so, until the pod is on a node. */
export async function readLog(exchange: Exchange): Promise<Answer | undefined> {
  checkOptions(exchange);
  const pod = await findPod(exchange);
  chooseContainer(pod, exchange.query.get('container'));
  const node = pod.spec?.nodeName;
  if (node) throw serviceUnavailable(`no agent answers for node ${node}, which pod ${pod.metadata.name} is on`);
  exchange.response.writeHead(204, standardHeaders(exchange.requestId)).end();
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
  if (since && Number.isNaN(Date.parse(since))) throw badRequest(`${JSON.stringify(since)} is no time as in RFC 3339`);
  if (since && query.get('sinceSeconds')) {
    errors.invalid(Path.of('sinceSeconds'), query.get('sinceSeconds'), 'give sinceTime or sinceSeconds, not both');
  }
  if (errors.any) throw invalid({ kind: 'PodLogOptions', name: target.name }, errors.list);
}
