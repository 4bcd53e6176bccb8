import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { CertificateKeeper, type Certificates } from '../../../access/certificates/certificate-keeper.ts';
import type { KeyPair } from '../../../access/certificates/key-pair.ts';
import { memoryPairStore } from '../../../access/certificates/pair-store.ts';
import { systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import type { Upgrade } from '../../../streams/upgrade.ts';
import { startServer, type RunningServer, type RunningServerOptions } from '../../testing/running-server.ts';
import { NodeConnections } from '../node-connections.ts';

/** What stands in for a node's agent: it lets in who shows the right certificate, as agents do. */
export interface NodeLike {
  readonly port: number;
  /** `GET /path?query` of every request, in order. */
  readonly seen: string[];
  /** Connections that are open now. */
  readonly sockets: ReadonlySet<Socket>;
}

export interface NodeBehaviour {
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
  readonly upgrade?: (upgrade: Upgrade) => void | Promise<void>;
}

export interface ConnectedServer extends RunningServer {
  readonly node: NodeLike;
  readonly port: number;
}

export interface ConnectedOptions extends RunningServerOptions, NodeBehaviour {
  /** What the node shows; a certificate of its own unless given. */
  readonly pair?: (keeper: CertificateKeeper) => KeyPair | Promise<KeyPair>;
  readonly nodeAuthority?: string;
}

/** A server with pod `web` (container `main`) on node `here`, whose agent does what the test says. */
export async function startConnected(t: TestContext, options: ConnectedOptions): Promise<ConnectedServer> {
  const { answer, upgrade, pair = ownPair, nodeAuthority, ...parts } = options;
  const keeper = await openKeeper();
  const certificates = keeper.current;
  const node = await startNodeLike(t, { answer, upgrade }, { certificates, pair: await pair(keeper) });
  const nodes = new NodeConnections({
    identity: () => certificates.kubeletClient,
    authority: () => certificates.authority,
    nodeAuthority,
  });
  const server = await startServer({ ...parts, nodes });
  t.after(() => server.close());
  await createObjects(server, node.port);
  return { ...server, node, port: Number(new URL(server.url).port) };
}

/** Certificates that nobody else knows. */
export async function openKeeper(): Promise<CertificateKeeper> {
  const parts = { store: memoryPairStore(), names: ['127.0.0.1'], clock: systemClock, logger: silentLogger };
  const keeper = await CertificateKeeper.open(parts);
  keeper.close();
  return keeper;
}

function ownPair(keeper: CertificateKeeper): Promise<KeyPair> {
  return keeper.nodePair('here', ['127.0.0.1']);
}

async function createObjects(server: RunningServer, port: number): Promise<void> {
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  const node = { metadata: { name: 'here' }, status };
  assert.equal((await server.send('POST', '/api/v1/nodes', { body: node })).code, 200);
  const spec = { nodeName: 'here', containers: [{ name: 'main', image: 'web' }] };
  const pod = { metadata: { name: 'web' }, spec };
  assert.equal((await server.send('POST', '/api/v1/namespaces/one/pods', { body: pod })).code, 200);
}

interface NodeTls {
  readonly certificates: Certificates;
  readonly pair: KeyPair;
}

async function startNodeLike(t: TestContext, behaviour: NodeBehaviour, tls: NodeTls): Promise<NodeLike> {
  const { certificates, pair } = tls;
  const options = { key: pair.key, cert: pair.certificate, ca: certificates.authority, requestCert: true };
  const server = createServer({ ...options, allowHalfOpen: true });
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const note = (request: IncomingMessage): void => {
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
    assert.equal(CN, 'kube-apiserver');
    assert.equal(request.headers.authorization, undefined);
    seen.push(`${request.method} ${request.url}`);
  };
  server.on('secureConnection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (request, response) => {
    note(request);
    behaviour.answer?.(request, response);
  });
  server.on('upgrade', (request, socket, head) => {
    note(request);
    void behaviour.upgrade?.({ request, socket, head });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, seen, sockets };
}
