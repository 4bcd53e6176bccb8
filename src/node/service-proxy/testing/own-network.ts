import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Gives a program root's rights over a network that is nothing but its own loopback interface. */
const enter = ['--user', '--map-root-user', '--net'];

/** Why programs cannot have such a network here; nothing when they can. In CI a program that is missing is an error. */
export async function whyNoOwnNetwork(): Promise<string | undefined> {
  try {
    for (const program of ['unshare', 'ip']) await run(program, ['-V']);
  } catch (cause) {
    if (process.env['CI']) throw cause;
    return `a program is missing: ${String(cause)}`;
  }
  try {
    await run('unshare', [...enter, 'ip', 'link', 'set', 'lo', 'up']);
    return undefined;
  } catch (cause) {
    return `this system gives no network to programs of their own: ${String(cause)}`;
  }
}

/** Runs a module in a network of its own; rejects with what it printed when it fails. */
export async function runInOwnNetwork(module: URL): Promise<void> {
  const program = 'ip link set lo up && exec "$0" "$@"';
  await run('unshare', [...enter, 'sh', '-c', program, process.execPath, fileURLToPath(module)]);
}
