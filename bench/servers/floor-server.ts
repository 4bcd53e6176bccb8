/**
 * The floor: what a bare node:https server does with the same bytes on the same machine, and nothing else. Every GET gets the answer in the
 * given file; a body is read, parsed as JSON and written as JSON again; a watch stays open, and is told of each body that comes in.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tlsOptions } from '../../src/server/http/tls-options.ts';
import { readPki } from './pki.ts';

const [, , pkiDirectory = '', answerFile = ''] = process.argv;
const { serving, ca } = readPki(pkiDirectory);
const answer = readFileSync(answerFile);
const event = Buffer.concat([Buffer.from('{"type":"ADDED","object":'), answer, Buffer.from('}\n')]);
const watches = new Set<ServerResponse>();

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

function watch(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
  watches.add(response);
  response.on('close', () => watches.delete(response));
}

function readAndSend(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    send(response, Buffer.from(JSON.stringify(value)));
    for (const open of watches) open.write(event);
  });
}

const server = createServer(tlsOptions({ ...serving, ca, requestClientCert: true }), (request, response) => {
  if (request.method !== 'GET') readAndSend(request, response);
  else if (request.url?.includes('watch=')) watch(response);
  else send(response, answer);
});
// A connection lies idle while the other server has its turn.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`serving at https://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
