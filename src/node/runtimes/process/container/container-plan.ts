import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { milliUnits, wholeUnits } from '../../../../kinds/core/resource-amounts.ts';
import { RuntimeError, type ContainerPlan } from '../../../runtime.ts';
import type { Cgroups, ResourceLimits } from '../cgroups/cgroups.ts';
import { defaultPath, type HostTools } from '../host-tools.ts';
import type { Image } from '../images/image.ts';
import { containerVariable } from '../proc/process-table.ts';

/** The address that the programs of this package listen on; the pod's when absent. */
const listenVariable = 'WHERRY_LISTEN_ADDRESS';

/** The environment of a container: what every container has, what its image brings, what the plan says, and what we mark it with. */
export function environmentOf(plan: ContainerPlan, id: string, image: Image | undefined): Record<string, string> {
  const environment: Record<string, string> = {
    PATH: defaultPath,
    HOME: plan.user === undefined || plan.user === process.getuid?.() ? homedir() : '/',
    HOSTNAME: plan.pod.name,
    POD_IP: plan.place.ip,
    // Where nobody else's ports are, programs of ours listen as the real ones do.
    ...(plan.place.hasOwnPorts && { [listenVariable]: '0.0.0.0' }),
    ...(plan.container.tty && { TERM: 'xterm' }),
    ...image?.environment,
    ...plan.environment,
    WHERRY_MOUNTS: plan.mounts.map(({ containerPath }) => containerPath).join(':'),
    [containerVariable]: id,
  };
  const broken = Object.entries(environment).find(([name, value]) => `${name}${value}`.includes('\0'));
  if (broken) throw new RuntimeError('CreateContainerError', `the variable ${broken[0]} contains a zero byte`);
  return environment;
}

/** Fails for a command that no process can have. */
export function checkCommand(command: readonly string[]): void {
  if (command.length === 0) throw new RuntimeError('CreateContainerError', 'neither the container nor its image says what to run'); // prettier-ignore
  if (command.some((word) => word.includes('\0'))) throw new RuntimeError('CreateContainerError', 'the command contains a zero byte'); // prettier-ignore
}

/** Fails for a container that would run as root and must not. Without a user of its own it runs as the one that we are. */
export function checkUser({ user, mustNotBeRoot }: ContainerPlan): void {
  const actual = user ?? process.getuid?.();
  if (!mustNotBeRoot || actual !== 0) return;
  const why = user === undefined ? 'the node agent runs as root and the container names no other user' : 'it is to run as user 0'; // prettier-ignore
  throw new RuntimeError('VerifyNonRootError', `runAsNonRoot forbids that it runs as root: ${why}`);
}

/** What stands before the command so that it has the user and groups of the plan. Only root can give it others than our own. */
export function changeUser({ user, groups = [] }: ContainerPlan, tools: HostTools): string[] {
  const own = process.getuid?.();
  if (own !== 0) {
    if (user === undefined || user === own) return [];
    const message = `it is to run as user ${user}, and a node agent that does not run as root cannot change users`;
    throw new RuntimeError('CreateContainerError', message);
  }
  if (user === undefined && groups.length === 0) return [];
  const setpriv = tools.find('setpriv', 'to run containers as other users');
  const group = user === undefined ? 0 : primaryGroup(user);
  const others = groups.length > 0 ? ['--groups', [group, ...groups].join(',')] : ['--clear-groups'];
  return [setpriv, '--reuid', `${user ?? 0}`, '--regid', `${group}`, ...others, '--'];
}

/** As the machine's list of users says; that of root for a user who is not in it. */
function primaryGroup(user: number): number {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = lines.map((line) => line.split(':')).find(([, , id]) => id === String(user));
  return Number(fields?.[3] ?? 0);
}

/** Nothing for a container without limits. */
export function limitsOf({ container }: ContainerPlan): ResourceLimits | undefined {
  const { limits, requests } = container.resources ?? {};
  const memoryBytes = wholeUnits(limits?.['memory']);
  const cpuMillis = milliUnits(limits?.['cpu']);
  if (memoryBytes === 0 && cpuMillis === 0) return undefined;
  return { memoryBytes, cpuMillis, cpuShareMillis: milliUnits(requests?.['cpu'] ?? limits?.['cpu']) };
}

/** What the container asks for and does not get. */
export function warningsOf(
  { container, groups = [] }: ContainerPlan,
  limits: ResourceLimits | undefined,
  cgroups: Cgroups | undefined,
): string[] {
  const { memory, cpu } = cgroups?.notEnforced ?? {};
  const warnings: string[] = [];
  if (limits?.memoryBytes && memory !== undefined) warnings.push(`its memory limit is not enforced: ${memory}`);
  if (limits?.cpuMillis && cpu !== undefined) warnings.push(`its cpu limit is not enforced: ${cpu}`);
  if (groups.length > 0 && process.getuid?.() !== 0)
    warnings.push(`it does not belong to the groups ${groups.join(', ')}: the node agent does not run as root`);
  if (container.securityContext?.readOnlyRootFilesystem)
    warnings.push('readOnlyRootFilesystem is not enforced: it runs on the file system of the machine');
  return warnings;
}
