import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { exists, missing, projectRoot, unpackPackages } from './debian-tool.ts';

const run = promisify(execFile);

/** A client library of another language out of a Debian package, and the program in `clients/` that uses it. */
export interface DebianClient {
  readonly package: string;
  readonly interpreter: string;
  readonly program: string;
  /** Where the interpreter finds what was unpacked, by environment variable. A star stands for any ending of a name. */
  readonly searchPaths: Readonly<Record<string, readonly string[]>>;
}

/** Where Debian puts what is made for one kind of processor. */
const machine = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';

export const pythonClient: DebianClient = {
  package: 'python3-kubernetes',
  interpreter: 'python3',
  program: 'python-client.py',
  searchPaths: { PYTHONPATH: ['usr/lib/python3/dist-packages', 'usr/lib/python3.*', 'usr/lib/python3.*/lib-dynload'] },
};

/** The same library, for what goes over WebSockets. */
export const pythonStreams: DebianClient = { ...pythonClient, program: 'python-streams.py' };

const gemPlaces = ['usr/share/rubygems-integration/*', `usr/lib/${machine}/rubygems-integration/*`];
export const rubyClient: DebianClient = {
  package: 'ruby-kubeclient',
  interpreter: 'ruby',
  program: 'ruby-client.rb',
  searchPaths: {
    RUBYLIB: [
      'usr/lib/ruby/vendor_ruby',
      `usr/lib/${machine}/ruby/vendor_ruby/*`,
      'usr/lib/ruby/3.*',
      `usr/lib/${machine}/ruby/3.*`,
    ],
    // Where this is set, Ruby looks nowhere else.
    GEM_PATH: gemPlaces.flatMap((place) => [place, `/${place}`]),
  },
};

/** How to run a client's program. */
export interface RunnableClient {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Takes from this machine what it has and unpacks the rest: nothing is installed. Gives the reason as text where that is not possible. */
export async function findClient(client: DebianClient): Promise<RunnableClient | { readonly missing: string }> {
  try {
    const root = await unpackPackages(client.package, () => neededPackages(client.package));
    return await runnable(client, root);
  } catch (cause) {
    return missing(`the client of the Debian package ${client.package}`, cause);
  }
}

async function runnable(client: DebianClient, root: string): Promise<RunnableClient> {
  const unpacked = join(root, 'usr/bin', client.interpreter);
  const command = (await exists(unpacked)) ? unpacked : join('/usr/bin', client.interpreter);
  const env: Record<string, string> = {};
  const libraries = { LD_LIBRARY_PATH: [`usr/lib/${machine}`, `lib/${machine}`] };
  for (const [name, places] of Object.entries({ ...client.searchPaths, ...libraries })) {
    const found = await Promise.all(places.map((place) => placesLike(resolve(root, place))));
    env[name] = found.flat().join(':');
  }
  return { command, args: [join(projectRoot(), 'test/e2e/clients', client.program)], env };
}

/** The directories that a path with stars in it means; versions differ from one Debian to the next. */
async function placesLike(path: string): Promise<string[]> {
  const star = path.indexOf('*');
  if (star < 0) return [path];
  const parent = dirname(path.slice(0, star + 1));
  const end = path.indexOf('/', star);
  const [before, after] = [path.slice(parent.length + 1, star), end < 0 ? '' : path.slice(end)];
  const names = await readdir(parent).catch(() => []);
  const matching = names.filter((name) => name.startsWith(before));
  return (await Promise.all(matching.map((name) => placesLike(join(parent, name) + after)))).flat();
}

/** The package and what it needs, as far as this machine does not have it: what would be installed. */
async function neededPackages(name: string): Promise<string[]> {
  const { stdout } = await run('apt-get', ['--simulate', '--no-install-recommends', 'install', name]);
  return stdout.split('\n').flatMap((line) => /^Inst (\S+)/.exec(line)?.[1] ?? []);
}
