import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { RuntimeError, type ContainerPlan, type Mount } from '../../../runtime.ts';
import { limitedResources, type Cgroups } from '../cgroups/cgroups.ts';
import { commandLine, type Image } from '../images/image.ts';
import { newNamespaces, ownUser, type NamespaceSupport } from '../mounts/namespaces.ts';
import { enterNetwork } from '../network/enter-network.ts';
import type { NetworkPlace } from '../network/pod-network.ts';
import { resolverMounts } from '../network/resolver-mounts.ts';
import { planRoot } from '../mounts/root-plan.ts';
import { rootScript, stagingDirectory, type RootScript } from '../mounts/root-script.ts';
import { changeUser, checkCommand, checkUser, environmentOf, limitsOf, warningsOf } from './container-plan.ts';
import { containerFiles as file, writeRecord, type ContainerRecord } from './container-record.ts';
import { launch } from './launch.ts';
import { enterScript, superviseScript, type SuperviseOptions } from './supervise-script.ts';
import type { ContainerSurroundings } from './surroundings.ts';

export interface StartOptions {
  readonly id: string;
  /** Not there yet. */
  readonly directory: string;
  readonly plan: ContainerPlan;
  readonly image: Image | undefined;
  readonly namespaces: NamespaceSupport;
  /** Where its pod is; nothing for one on the host's network. */
  readonly network: NetworkPlace | undefined;
  readonly cgroups: () => Promise<Cgroups>;
  readonly around: ContainerSurroundings;
}

/** Starts a container in a new directory. When it fails, with `RuntimeError`, the caller removes the directory and what may run already. */
export async function startContainer(options: StartOptions): Promise<ContainerRecord> {
  const { id, directory, plan, image, around } = options;
  const { tools } = around;
  const command = commandLine(image, plan);
  checkCommand(command);
  checkUser(plan);
  const workingDirectory = absolute(plan.container.workingDir || image?.directory || '/');
  const record = await recordOf(options, workingDirectory);
  await mkdir(join(directory, stagingDirectory), { recursive: true, mode: 0o700 });
  const root = await makeRoot(options, workingDirectory);
  const scripts: SuperviseOptions = {
    tools,
    directory,
    ...(root && { rootCommands: root.commands }),
    hostname: plan.pod.name.slice(0, 63),
    stdin: record.stdin,
    stdinOnce: record.stdinOnce,
    tty: record.tty,
    shell: record.environment['SHELL'],
    joinFiles: await joinFilesOf(options, record),
    workingDirectory,
    asUser: record.asUser,
    command,
  };
  await writeScripts(directory, scripts);
  await writeRecord(directory, record);
  const inNetwork = enterNetwork(tools, options.network?.namespace);
  const within = record.namespaces === 'none' ? [] : newNamespaces(record.namespaces, tools);
  const supervisor = [...inNetwork, ...within, tools.sh, join(directory, file.supervise)];
  await launch({ command: supervisor, directory, environment: record.environment, clock: around.clock });
  return { ...record, id };
}

async function recordOf(options: StartOptions, workingDirectory: string): Promise<ContainerRecord> {
  const { id, plan, image, namespaces, around } = options;
  const { container } = plan;
  const limits = limitsOf(plan);
  const cgroups = limits && (await options.cgroups());
  const user = changeUser(plan, around.tools);
  return {
    id,
    pod: plan.pod,
    name: container.name,
    attempt: plan.attempt,
    imageId: plan.image.id,
    startedAt: around.clock.now(),
    boot: around.boot,
    environment: environmentOf(plan, id, image),
    workingDirectory,
    namespaces: namespaces.sort,
    network: options.network ? options.network.namespace : 'host',
    asUser: namespaces.sort === 'user' ? ownUser('user', around.tools) : user,
    stdin: container.stdin ?? false,
    stdinOnce: (container.stdin && container.stdinOnce) ?? false,
    tty: container.tty ?? false,
    limited: limits && cgroups ? limitedResources(limits, cgroups.notEnforced) : [],
    warnings: warningsOf(plan, limits, cgroups),
  };
}

/** The container's own file system; nothing where the kernel does not allow one, which only a container without mounts can do without. */
async function makeRoot(options: StartOptions, workingDirectory: string): Promise<RootScript | undefined> {
  const { directory, plan, namespaces, around } = options;
  if (namespaces.sort === 'none') {
    if (plan.mounts.length === 0) return undefined;
    const paths = plan.mounts.map(({ containerPath }) => containerPath).join(', ');
    throw new RuntimeError('InvalidMount', `${paths} cannot be mounted: this machine gives processes no mounts of their own: ${namespaces.reason}`); // prettier-ignore
  }
  const message = await makeTerminationLog(directory, plan.container.terminationMessagePath);
  const wishes = {
    mounts: [...(await resolverMounts(options.network, plan.mounts)), ...plan.mounts, ...message],
    directories: [workingDirectory],
    allDevices: plan.container.securityContext?.privileged ?? false,
  };
  const script = rootScript(planRoot(wishes), directory, around.tools);
  for (const [name, content] of Object.entries(script.files)) await writeFile(join(directory, name), content);
  return script;
}

async function makeTerminationLog(directory: string, path: string | undefined): Promise<Mount[]> {
  if (!path || !isAbsolute(path)) return [];
  const hostPath = join(directory, file.terminationLog);
  await writeFile(hostPath, '');
  // Whoever the container runs as may write it.
  await chmod(hostPath, 0o666);
  return [{ hostPath, containerPath: path, readOnly: false }];
}

async function joinFilesOf({ id, plan, cgroups }: StartOptions, record: ContainerRecord): Promise<readonly string[]> {
  const limits = limitsOf(plan);
  if (record.limited.length === 0 || !limits) return [];
  try {
    return (await (await cgroups()).create(id, limits)).joinFiles;
  } catch (cause) {
    const message = `its limits cannot be set: ${(cause as Error).message}`;
    throw new RuntimeError('CreateContainerError', message, { cause });
  }
}

async function writeScripts(directory: string, options: SuperviseOptions): Promise<void> {
  try {
    await writeFile(join(directory, file.supervise), superviseScript(options), { mode: 0o600 });
    await writeFile(join(directory, file.enter), enterScript(options), { mode: 0o600 });
  } catch (cause) {
    throw new RuntimeError('CreateContainerError', (cause as Error).message, { cause });
  }
}

function absolute(path: string): string {
  return join('/', path);
}
