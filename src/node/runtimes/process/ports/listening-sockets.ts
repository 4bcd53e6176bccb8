import { open } from 'node:fs/promises';
import { endianness } from 'node:os';

/** A socket of this machine's network that takes TCP connections. */
export interface ListeningSocket {
  /** IPv4 as `127.0.0.1`, also where a socket of the other family has it; `0.0.0.0` or `::` for all addresses; other IPv6 as 32 digits. */
  readonly address: string;
  /** What descriptors of processes name it by. */
  readonly inode: string;
}

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];
const listening = '0A';
const chunkSize = 64 * 1024;

/** Those of a port, as the kernel lists them at this moment. */
export async function listeningSockets(port: number): Promise<ListeningSocket[]> {
  const found = await Promise.all(tables.map((table) => readTable(table)));
  return found.flat().flatMap((line) => socketOf(line, port));
}

/** The lines of sockets that listen. The kernel writes them first, so the many connections behind them are not read. */
async function readTable(path: string): Promise<string[]> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    // A machine without IPv6 has no such table.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return [];
  const lines: string[] = [];
  try {
    const chunk = Buffer.alloc(chunkSize);
    for (let rest = ''; ;) {
      const { bytesRead } = await file.read(chunk, 0, chunkSize, null);
      const complete = (rest + chunk.toString('latin1', 0, bytesRead)).split('\n');
      rest = complete.pop() ?? '';
      // The first line of all has the headings.
      const sockets = complete.filter((line) => /^\s*\d+:/.test(line));
      lines.push(...sockets.filter((line) => stateOf(line) === listening));
      if (bytesRead === 0 || sockets.some((line) => stateOf(line) !== listening)) return lines;
    }
  } finally {
    await file.close();
  }
}

function stateOf(line: string): string | undefined {
  return line.trim().split(/\s+/)[3];
}

function socketOf(line: string, wanted: number): ListeningSocket[] {
  const fields = line.trim().split(/\s+/);
  const [digits = '', port = ''] = (fields[1] ?? '').split(':');
  const inode = fields[9];
  if (Number.parseInt(port, 16) !== wanted || inode === undefined) return [];
  return [{ address: addressOf(digits), inode }];
}

/** Addresses stand there as words of 32 bits, each as the machine's processor has it in memory. */
export function addressOf(digits: string, order: 'LE' | 'BE' = endianness()): string {
  const bytes = Buffer.from(digits, 'hex');
  if (order === 'LE') bytes.swap32();
  if (bytes.length === 4) return [...bytes].join('.');
  const text = bytes.toString('hex');
  if (text === '0'.repeat(32)) return '::';
  if (text === '1'.padStart(32, '0')) return '::1';
  return text.startsWith('ffff'.padStart(24, '0')) ? [...bytes.subarray(12)].join('.') : text;
}
