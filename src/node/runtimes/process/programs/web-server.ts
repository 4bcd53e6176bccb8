/**
 * The web server that stands for nginx and httpd: serves the directory of its first argument when the container has a mount there, else a page that
 * names the pod. Listens on the pod's address, port 80 or $PORT. Other arguments are those of the real servers and mean nothing here.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { endInOrder } from './end-in-order.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.htm': 'text/html; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'text/xml',
};

const { POD_IP: address = '127.0.0.1', PORT: port = '80', HOSTNAME: podName = 'this pod', WHERRY_MOUNTS: mounts = '' } = process.env; // prettier-ignore
const { WHERRY_LISTEN_ADDRESS: listenAddress = address } = process.env;
const root = process.argv[2] ?? '/usr/share/nginx/html';
const isMounted = mounts.split(':').some((path) => path !== '' && isWithin(root, path));

/** Also when a directory above it is mounted. */
function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendText(response, 405, 'Method Not Allowed\n');
  const { pathname } = new URL(request.url ?? '/', 'http://pod');
  if (!isMounted) return sendText(response, 200, ownPage(), 'text/html; charset=utf-8');
  const file = await findFile(decodeURIComponent(pathname));
  if (!file) return sendText(response, 404, 'Not Found\n');
  response.writeHead(200, {
    'Content-Type': mediaTypes[extname(file.path).toLowerCase()] ?? 'application/octet-stream',
    'Content-Length': file.size,
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(file.path), response);
}

async function findFile(pathname: string): Promise<{ path: string; size: number } | undefined> {
  // Normalized from the top, so that no `..` leads out of the root.
  const path = join(root, normalize(join('/', pathname)));
  for (const candidate of [path, join(path, 'index.html')]) {
    const stats = await stat(candidate).catch(() => undefined);
    if (stats?.isFile()) return { path: candidate, size: stats.size };
  }
  return undefined;
}

function ownPage(): string {
  const name = podName.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `<!DOCTYPE html>\n<html><head><title>${name}</title></head><body><h1>Welcome to ${name}</h1><p>Served from ${address}.</p></body></html>\n`;
}

function sendText(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

const server = createServer((request, response) => {
  // Gone when the client is.
  const { remoteAddress } = request.socket;
  answer(request, response)
    .catch((error: unknown) => {
      if (!response.headersSent) sendText(response, error instanceof URIError ? 400 : 500, `${String(error)}\n`);
      else response.destroy();
    })
    .finally(() => {
      const { httpVersion, method, url } = request;
      process.stdout.write(
        `${remoteAddress} - - [${new Date().toISOString()}] "${method} ${url} HTTP/${httpVersion}" ${response.statusCode}\n`,
      );
    });
});
server.on('error', (error: NodeJS.ErrnoException) => {
  const hint = error.code === 'EACCES' ? ' (ports below 1024 need root, or another one in the variable PORT)' : '';
  process.stderr.write(`cannot listen on ${address}:${port}: ${error.message}${hint}\n`);
  process.exitCode = 1;
});
server.listen(Number(port), listenAddress, () => process.stdout.write(`listening on ${address}:${port}\n`));
endInOrder(server);
