import { badRequest, serviceUnavailable } from '../../kinds/meta/api-error.ts';
import type { Answer, Exchange } from '../exchange.ts';
import { chooseContainer, findPod } from './pod-container.ts';

/** Runs a command in a container. */
export async function execInContainer(exchange: Exchange): Promise<Answer | undefined> {
  const pod = await findPod(exchange);
  chooseContainer(pod, exchange.query.get('container'));
  if (exchange.query.getAll('command').length === 0) throw badRequest('exec needs a command');
  return connect(exchange, pod.spec?.nodeName);
}

/** Joins the main process of a container. */
export async function attachToContainer(exchange: Exchange): Promise<Answer | undefined> {
  const pod = await findPod(exchange);
  chooseContainer(pod, exchange.query.get('container'));
  return connect(exchange, pod.spec?.nodeName);
}

/** Carries connections to ports of a pod. */
export async function forwardPorts(exchange: Exchange): Promise<Answer | undefined> {
  const pod = await findPod(exchange);
  return connect(exchange, pod.spec?.nodeName);
}

function connect({ target }: Exchange, nodeName: string | undefined): never {
  if (!nodeName) throw badRequest(`pod ${target.name} is not on a node yet`);
  throw serviceUnavailable(`no agent answers for node ${nodeName}, which pod ${target.name} is on`);
}
