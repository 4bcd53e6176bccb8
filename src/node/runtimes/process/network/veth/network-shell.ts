import type { Clock } from '../../../../../base/clock.ts';
import { commandRunner } from '../../../../service-proxy/addresses/run-command.ts';
import type { HostTools } from '../../host-tools.ts';
import { quote } from '../../shell-quote.ts';

/** Runs scripts of `ip` commands, each as one process: starting a process from a large one takes longer than all that it does. */
export interface NetworkShell {
  /** Ends with the first command that fails, and rejects with what it says. Gives what was printed. */
  readonly run: (script: string) => Promise<string>;
  readonly ip: string;
}

export function networkShell(tools: HostTools, clock: Clock): NetworkShell {
  const run = commandRunner(clock);
  const ip = quote(tools.find('ip', 'to give pods networks of their own'));
  return { ip, run: (script) => run(tools.sh, ['-ec', script]) };
}

/** A command that is done without a word where there is nothing left to do. */
export function quietly(command: string): string {
  return `${command} 2>/dev/null || :`;
}
