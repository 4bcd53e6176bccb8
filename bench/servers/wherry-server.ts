import { join } from 'node:path';
import { request } from 'node:https';
import type { Access } from '../load/connection.ts';
import type { RequestTemplate } from '../load/request-template.ts';
import { readPki } from './pki.ts';
import { makeScratchDirectory } from './scratch-directory.ts';
import { startServer, type ServerProcess } from './server-process.ts';

/** A server under test: the API with TLS, client certificates, and its objects on disk in a directory of its own. */
export interface WherryServer {
  readonly process: ServerProcess;
  readonly directory: string;
  readonly pkiDirectory: string;
  readonly access: Access;
  /** Ends the process and removes its directory. */
  close(): Promise<void>;
}

export async function startWherry(cli: string): Promise<WherryServer> {
  const scratch = await makeScratchDirectory();
  try {
    const dataDirectory = join(scratch.path, 'data');
    const server = await startServer(cli, ['apiserver', '--data-dir', dataDirectory, ...quietFlags]);
    const pkiDirectory = join(dataDirectory, 'pki');
    const { ca, admin } = readPki(pkiDirectory);
    return {
      process: server,
      directory: scratch.path,
      pkiDirectory,
      access: { port: server.port, ca, ...admin },
      async close() {
        await server.stop();
        await scratch.remove();
      },
    };
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

export function startInMemory(cli: string): Promise<ServerProcess> {
  return startServer(cli, ['apiserver', '--memory', ...quietFlags]);
}

const quietFlags = ['--secure-port', '0', '--log-level', 'error'];

/** Sends a request that has no numbers in it, and gives the body of the answer. */
export function ask(access: Access, { method, path, body }: RequestTemplate): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const options = { ...access, host: '127.0.0.1', servername: 'localhost', method, path, headers, agent: false };
    const sent = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = Buffer.concat(chunks);
        if (response.statusCode === 200) resolve(answer);
        else reject(new Error(`${method} ${path} is answered with ${answer.toString('utf8')}`));
      });
    });
    sent.on('error', reject).end(body);
  });
}
