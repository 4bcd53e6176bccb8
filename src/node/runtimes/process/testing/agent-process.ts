import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const agentProgram = fileURLToPath(new URL('./agent-program.js', import.meta.url));

/** Runs the agent program until it has said its line, and kills it as no program can prevent. `before` stands before the command. */
export async function runAndKillAgent(args: readonly string[], before: readonly string[] = []): Promise<string> {
  const [program = '', ...rest] = [...before, process.execPath, agentProgram, ...args];
  const agent = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(agent, 'exit');
  const [line] = (await Promise.race([once(agent.stdout, 'data'), exited])) as [unknown];
  agent.kill('SIGKILL');
  await exited;
  return String(line);
}
