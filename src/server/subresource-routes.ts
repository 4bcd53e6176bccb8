import { scaleFormIn, type ScaleForm } from '../kinds/extensions/scale-form.ts';
import type { ServedVersion } from '../kinds/served-version.ts';
import { bindPod } from './verbs/binding.ts';
import { endpoint } from './endpoint.ts';
import { updateFinalizers } from './verbs/finalize.ts';
import { readLog } from './connect/log.ts';
import { attachToContainer, execInContainer, forwardPorts } from './connect/pod-connection.ts';
import { proxyToNode, proxyToPod, proxyToService } from './connect/proxy.ts';
import { rollBack } from './verbs/rollback.ts';
import type { Endpoint, Operation, SubresourceRoute } from './route.ts';
import { getScale, patchScale, updateScale } from './verbs/scale.ts';
import { getStatus, patchStatus, updateStatus } from './verbs/status.ts';

type Run = Operation['run'];

function part(endpoint: Endpoint): SubresourceRoute {
  return { endpoint, takesPath: false };
}

function connection(run: Run): SubresourceRoute {
  const connecting = { style: 'stream', takesUpgrades: true, run } as const;
  return part(endpoint({ GET: { verb: 'get', ...connecting }, POST: { verb: 'create', ...connecting } }));
}

function proxy(run: Run): SubresourceRoute {
  const reading = { GET: 'get', HEAD: 'get', OPTIONS: 'get' };
  const methods = { ...reading, POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };
  const proxying = { style: 'stream', takesUpgrades: true, run } as const;
  const operations = Object.entries(methods).map(([method, verb]) => [method, { verb, ...proxying }] as const);
  return { endpoint: new Map(operations), takesPath: true };
}

export const bindingEndpoint: Endpoint = endpoint({ POST: { verb: 'create', style: 'answer', run: bindPod } });

export function scaleRoute(form: ScaleForm): SubresourceRoute {
  return part(
    endpoint({
      GET: { verb: 'get', style: 'answer', run: getScale(form) },
      PUT: { verb: 'update', style: 'answer', run: updateScale(form) },
      PATCH: { verb: 'patch', style: 'answer', run: patchScale(form) },
    }),
  );
}

/** The contract has only PUT; groups beyond it have what is usual today. */
function statusRoute({ inContract }: ServedVersion): SubresourceRoute {
  const update: Operation = { verb: 'update', style: 'answer', run: updateStatus };
  if (inContract) return part(endpoint({ PUT: update }));
  return part(
    endpoint({
      GET: { verb: 'get', style: 'answer', run: getStatus },
      PUT: update,
      PATCH: { verb: 'patch', style: 'answer', run: patchStatus },
    }),
  );
}

const finalizeRoute = part(endpoint({ PUT: { verb: 'update', style: 'answer', run: updateFinalizers } }));
const rollbackRoute = part(endpoint({ POST: { verb: 'create', style: 'answer', run: rollBack } }));
const logRoute = part(endpoint({ GET: { verb: 'get', style: 'stream', run: readLog } }));

/** What single kinds have besides status and scale, in the version that they are stored in. */
const special: Readonly<Record<string, Readonly<Record<string, SubresourceRoute>>>> = {
  pods: {
    binding: part(bindingEndpoint),
    log: logRoute,
    exec: connection(execInContainer),
    attach: connection(attachToContainer),
    portforward: connection(forwardPorts),
    proxy: proxy(proxyToPod),
  },
  services: { proxy: proxy(proxyToService) },
  nodes: { proxy: proxy(proxyToNode) },
  namespaces: { finalize: finalizeRoute },
  deployments: { rollback: rollbackRoute },
};

export function subresourcesOf(served: ServedVersion): ReadonlyMap<string, SubresourceRoute> {
  const { kind, conversion, group } = served;
  const parts = new Map(conversion ? [] : Object.entries(special[kind.resource] ?? {}));
  if (kind.hasStatus) parts.set('status', statusRoute(served));
  if (kind.scale) parts.set('scale', scaleRoute(scaleFormIn(group)));
  return parts;
}
