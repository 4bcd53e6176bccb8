import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { RunningServer } from '../../testing/running-server.ts';

/** In the part of the loopback network that pods may have. */
export const podAddress = '127.64.0.9';

const namespace = '/api/v1/namespaces/one';

/** A web server where a pod would have it; gives its port. */
export function serveWeb(t: TestContext, handler: RequestListener, address?: string): Promise<number> {
  return listenAsPod(t, createServer(handler), address);
}

export async function listenAsPod(t: TestContext, server: Server, address = podAddress): Promise<number> {
  server.listen(0, address);
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface WebPod {
  readonly ip?: string;
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
}

/** A pod that says it has this address. */
export async function createPod(server: RunningServer, name: string, pod: WebPod = {}): Promise<void> {
  const { ip, ports = [] } = pod;
  const spec = { containers: [{ name: 'main', image: 'web', ports }] };
  const created = await server.send('POST', `${namespace}/pods`, { body: { metadata: { name }, spec } });
  assert.equal(created.code, 200);
  if (ip === undefined) return;
  const body = { metadata: { name }, spec, status: { phase: 'Running', podIP: ip } };
  assert.equal((await server.send('PUT', `${namespace}/pods/${name}/status`, { body })).code, 200);
}
