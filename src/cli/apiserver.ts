import { defineCommand, type Command } from './command.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { serve } from './serve.ts';
import { serverFlags } from './server-flags.ts';

export const apiserver: Command = defineCommand({
  name: 'apiserver',
  summary: 'serve the API alone',
  description:
    'Serves the API alone: no controllers, no scheduler and no node. Prints one line when it is ready. Writes a kubeconfig file only when asked to.',
  flags: serverFlags,
  run: (values, terminal) =>
    serve({ values, terminal }, async ({ secureUrl, insecureUrl, admin }) => {
      if (values.kubeconfig !== undefined) await writeKubeconfig(values.kubeconfig, admin);
      const insecure = insecureUrl === undefined ? '' : ` and, without authentication, at ${insecureUrl}`;
      return { line: `serving at ${secureUrl}${insecure}` };
    }),
});
