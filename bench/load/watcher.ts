import { openSocket, type Access } from './connection.ts';

const newline = 0x0a;
const closingBrace = 0x7d;

export interface WatcherListener {
  onEvents(count: number): void;
  onError(error: Error): void;
}

/** Opens a watch that only counts the events it gets: lines that end in a brace, which the framing around them never does. */
export async function openWatcher(access: Access, path: string, listener: WatcherListener): Promise<void> {
  let last = 0;
  let onHead: (() => void) | undefined;
  const headArrived = new Promise<void>((resolve) => {
    onHead = resolve;
  });
  const socket = await openSocket(access, (bytes) => {
    onHead?.();
    let count = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) {
      if ((at > 0 ? bytes[at - 1] : last) === closingBrace) count++;
    }
    last = bytes[bytes.length - 1]!;
    if (count > 0) listener.onEvents(count);
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n`);
  socket.on('error', (error) => listener.onError(error));
  socket.on('close', () => listener.onError(new Error('the server ended a watch')));
  await headArrived;
}
