/** Makes dist/ from what the compiler left in build/: the command, what embedders import, the types of the latter, and the parts they share. */
import { copyFile, mkdir, readFile, rm, chmod } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const built = resolve(dirname(fileURLToPath(import.meta.url)), '../src');
const dist = resolve('dist');

/** Whatever is not a file of ours stays an import: dependencies are installed, not copied. */
function isExternal(id: string): boolean {
  return !id.startsWith('.') && !id.startsWith('/') && (!id.includes(':') || id.startsWith('node:'));
}

/** Programs that containers run with our own Node; `programs/program-file.ts` of the process runtime looks for them there. */
const programs = ['web-server', 'echo-server', 'connect-from-inside'];

/** What is imported on demand gets a file of its own, so that `wherry --help` reads none of the server. */
async function bundle(): Promise<void> {
  const programFolder = join(built, 'node/runtimes/process/programs');
  const input = {
    cli: join(built, 'cli.js'),
    index: join(built, 'index.js'),
    ...Object.fromEntries(programs.map((name) => [`programs/${name}`, join(programFolder, `${name}.js`)])),
  };
  const build = await rolldown({ input, platform: 'node', external: isExternal });
  await build.write({ dir: dist, format: 'esm', chunkFileNames: 'parts/[name].js', sourcemap: true });
  await build.close();
}

const importedFile = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g;

/** Copies a declaration and those it refers to, so that users see the types of what is exported and nothing else. */
async function copyDeclarations(entry: string): Promise<void> {
  const seen = new Set<string>();
  const open = [join(built, entry)];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const target = join(dist, 'types', relative(built, file));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(file, target);
    for (const [, path = ''] of (await readFile(file, 'utf8')).matchAll(importedFile)) {
      open.push(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
}

await rm(dist, { recursive: true, force: true });
await Promise.all([bundle(), copyDeclarations('index.d.ts')]);
await chmod(join(dist, 'cli.js'), 0o755);
