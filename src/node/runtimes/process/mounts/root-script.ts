import type { HostTools } from '../host-tools.ts';
import { quote, quoteAll } from '../shell-quote.ts';
import { mountFlags } from './mount-flags.ts';
import type { Bind, RebuiltDirectory, RootPlan } from './root-plan.ts';

/** Files for the shell that makes a container's file system. It runs in a mount namespace of its own, within the container's directory. */
export interface RootScript {
  /** Commands, chained so that the first that fails ends them, with its message on standard error. */
  readonly commands: string;
  /** What the commands read, by file name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Where the new file system is put together, in the container's directory, before it becomes the root. */
export const stagingDirectory = 'root';
const oldRoot = '.wherry-old-root';
/** What a container can write into directories that are rebuilt is held in memory. */
const rebuiltSize = '64m';

export function rootScript(plan: RootPlan, directory: string, tools: HostTools): RootScript {
  const staging = `${directory}/${stagingDirectory}`;
  const tool = (name: string): string => quote(tools.find(name, 'to give containers mounts of their own'));
  const files: Record<string, string> = {};
  /** One program makes all binds of a table: starting one for each would take longer than everything else. */
  const bindAll = (binds: readonly Bind[]): string[] => {
    if (binds.length === 0) return [];
    const name = `mounts.${Object.keys(files).length}`;
    files[name] = binds.map((bind) => tableLine(bind, staging)).join('');
    return [`${tool('mount')} -n -a -T ${quote(name)}`];
  };
  const rebuild = (rebuilt: RebuiltDirectory): string[] => {
    const inStaging = (path: string): string => quote(`${staging}${path}`);
    const mode = rebuilt.mode.toString(8);
    const { directories, links } = rebuilt;
    return [
      `${tool('mount')} -n -t tmpfs -o mode=${mode},size=${rebuiltSize} tmpfs ${inStaging(rebuilt.path)}`,
      ...(directories.length > 0 ? [`${tool('mkdir')} -p ${directories.map(inStaging).join(' ')}`] : []),
      ...rebuilt.files.map((path) => `: >${inStaging(path)}`),
      ...(links.length > 0 ? [`${tool('cp')} -P ${quoteAll(links)} ${inStaging(`${rebuilt.path}/`)}`] : []),
      ...rebuilt.newLinks.map(({ path, text }) => `${tool('ln')} -s ${quote(text)} ${inStaging(path)}`),
      ...bindAll(rebuilt.binds),
    ];
  };
  const commands = [
    ...plan.rebuilt.flatMap(rebuild),
    ...bindAll(plan.binds),
    `${tool('mkdir')} ${quote(`${staging}/${oldRoot}`)}`,
    `${tool('pivot_root')} ${quote(staging)} ${quote(`${staging}/${oldRoot}`)}`,
    `${tool('umount')} -n -l /${oldRoot}`,
    `${tool('rmdir')} /${oldRoot}`,
  ];
  return { commands: commands.join(' &&\n'), files };
}

function tableLine({ source, target, readOnly }: Bind, staging: string): string {
  const options = readOnly ? ['rbind', 'ro', ...mountFlags(source)] : ['rbind'];
  return `${escape(source)} ${escape(`${staging}${target}`)} none ${options.join(',')} 0 0\n`;
}

/** Tables separate by what is white space in ASCII; what a path has of it is written as octal numbers. */
function escape(path: string): string {
  return path.replace(/[ \t\n\v\f\r\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
