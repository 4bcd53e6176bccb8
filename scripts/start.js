/**
 * `npm start -- FLAGS`: builds when dist/ is missing or older than the sources, then runs `wherry up FLAGS` in this process. The script in
 * package.json says `exec`, so that no shell stands between npm and this process: signals that npm passes on then arrive here.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const cli = join(root, 'dist', 'cli.js');

/** @param {string} path */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newestSource() {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  const times = files.map((file) => changedAt(join(file.parentPath ?? file.path, file.name)));
  return Math.max(changedAt(join(root, 'package.json')), ...times);
}

if (changedAt(cli) < newestSource()) {
  // Standard output is for the line that says where the cluster is.
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exit(status ?? 1);
}

process.argv = [process.argv[0] ?? 'node', cli, 'up', ...process.argv.slice(2)];
await import(pathToFileURL(cli).href);
