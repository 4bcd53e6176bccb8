/**
 * Adds to package-lock.json the builds for other platforms that npm leaves out when a mirror does not carry them: without them `npm ci`
 * takes the lock file for outdated. Versions are those that the packages themselves ask for; run it after every `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/**
 * @typedef {{ version?: string, dev?: boolean, optional?: boolean, resolved?: string, optionalDependencies?: Record<string, string> }} Locked
 */

const systems = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** What a name such as `@rolldown/binding-linux-arm64-musl` says about where the build runs. @param {string} name */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl')) ? ['musl'] : words.some((word) => word.startsWith('gnu')) ? ['glibc'] : []; // prettier-ignore
  if (cpu.length !== 1 || (os.length !== 1 && cpu[0] !== 'wasm32'))
    throw new Error(`cannot tell the platform of ${name}`);
  return { cpu, ...(libc.length > 0 && { libc }), ...(os.length > 0 && { os }) };
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
/** @type {Record<string, Locked>} */
const packages = lock.packages;
for (const locked of Object.values(packages)) {
  for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    packages[path] ??= { version, ...(locked.dev && { dev: true }), optional: true, ...platformOf(name) };
  }
  delete locked.resolved;
}
const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
