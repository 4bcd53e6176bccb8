/** A process that puts load on a server, so that the load does not share the server's event loop. Ends with its parent. */
import { Generator } from './generator.ts';
import type { Command, Reply } from './plan.ts';

let generator: Generator | undefined;

async function carryOut(command: Command): Promise<Reply> {
  if (command.do === 'open') {
    generator = await Generator.open(command.plan);
    return { did: 'open' };
  }
  if (!generator) throw new Error('a round without connections');
  return { did: 'round', round: await generator.round(command.until) };
}

function reply(message: Reply): void {
  process.send?.(message);
}

process.on('message', (command: Command) => {
  carryOut(command).then(reply, (error: unknown) => reply({ did: 'fail', why: String(error) }));
});
process.on('disconnect', () => process.exit());
