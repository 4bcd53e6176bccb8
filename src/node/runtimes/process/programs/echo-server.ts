/** Answers every HTTP request with what it was: for trying out services and ingresses. Listens on port 8080 or $PORT. */
import { createServer, type IncomingMessage } from 'node:http';
import { endInOrder } from './end-in-order.ts';

const { POD_IP: address = '127.0.0.1', PORT: port = '8080', HOSTNAME: podName = '' } = process.env;
const { WHERRY_LISTEN_ADDRESS: listenAddress = address } = process.env;
const maxBody = 1_048_576;

/** The beginning of the body; longer ones are read to their end and cut. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length < maxBody) chunks.push(chunk.subarray(0, maxBody - length));
    length += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const server = createServer((request, response) => {
  const { method, url, httpVersion, headers, socket } = request;
  bodyOf(request).then(
    (body) => {
      const echo = {
        pod: podName,
        address,
        client: socket.remoteAddress,
        method,
        path: url,
        httpVersion,
        headers,
        body,
      };
      process.stdout.write(`${method} ${url}\n`);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(`${JSON.stringify(echo, null, 2)}\n`);
    },
    () => response.destroy(),
  );
});
server.on('error', (error) => {
  process.stderr.write(`cannot listen on ${address}:${port}: ${error.message}\n`);
  process.exitCode = 1;
});
server.listen(Number(port), listenAddress, () => process.stdout.write(`listening on ${address}:${port}\n`));
endInOrder(server);
