import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer, type ServerProcess } from './server-process.ts';
import type { WherryServer } from './wherry-server.ts';

const script = fileURLToPath(new URL('floor-server.js', import.meta.url));

/** Starts a bare server with the certificates of the other, which answers everything with the same bytes. */
export async function startFloor(beside: WherryServer, answer: Buffer): Promise<ServerProcess> {
  const answerFile = join(beside.directory, 'answer.json');
  await writeFile(answerFile, answer);
  return startServer(script, [beside.pkiDirectory, answerFile]);
}
