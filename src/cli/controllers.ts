import { once } from 'node:events';
import { hostname } from 'node:os';
import { defineCommand, type Command } from './command.ts';
import { componentFlags, openComponentParts } from './component-flags.ts';

export const controllers: Command = defineCommand({
  name: 'controllers',
  summary: 'run the controllers and the scheduler against a server',
  description:
    'Runs the controllers and the scheduler against a server. Any number of them can be started; one works at a time, and another takes over within seconds when it is gone.',
  flags: componentFlags,
  async run(values, terminal) {
    const parts = await openComponentParts(values, terminal);
    try {
      const { runControlPlane } = await import('../cluster/control-plane.ts');
      const { allControllers } = await import('../controllers/index.ts');
      const identity = `${hostname()}_${parts.ids.uid()}`;
      const plane = runControlPlane({ ...parts, controllers: allControllers(), identity });
      terminal.stdout.write(`standing for election as ${identity}\n`);
      const stopped = terminal.stop.aborted ? Promise.resolve() : once(terminal.stop, 'abort');
      // An error of the control plane ends the command; a stop ends the control plane.
      await Promise.race([stopped, plane.ended]);
      await plane.close();
    } finally {
      parts.client.close();
    }
  },
});
