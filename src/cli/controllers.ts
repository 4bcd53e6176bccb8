import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { TokenOptions } from '../controllers/service-account/token-secret.ts';
import { autoscalingFlags, autoscalingTimesFrom } from './autoscaling-flags.ts';
import { defineCommand, type Command } from './command.ts';
import { componentFlags, openComponentParts } from './component-flags.ts';
import { text } from './flag-values.ts';
import { optionalFlag, type FlagValues } from './flag.ts';

const tokenFlags = {
  serviceAccountPrivateKeyFile: optionalFlag('service-account-private-key-file', text('FILE'), {
    section: 'Service accounts',
    help: 'Private key, as PEM, that the tokens of service accounts are signed with; the one that the server checks with. Accounts get no tokens without it.',
  }),
  rootCaFile: optionalFlag('root-ca-file', text('FILE'), {
    section: 'Service accounts',
    help: 'Certificate, as PEM, by which pods know the server; it goes into the secrets with the tokens.',
  }),
};

async function accountTokensFrom(values: FlagValues<typeof tokenFlags>): Promise<TokenOptions | undefined> {
  const { serviceAccountPrivateKeyFile: keyFile, rootCaFile } = values;
  if (keyFile === undefined) return undefined;
  const { readAccountKeys } = await import('../access/authn/accounts/account-keys.ts');
  const { signSecretToken } = await import('../access/authn/accounts/sign-secret-token.ts');
  const authority = rootCaFile === undefined ? undefined : await readFile(rootCaFile, 'utf8');
  const { signing } = await readAccountKeys(keyFile);
  return { issueToken: (claims) => signSecretToken(claims, signing), authority: () => authority };
}

export const controllers: Command = defineCommand({
  name: 'controllers',
  summary: 'run the controllers and the scheduler against a server',
  description:
    'Runs the controllers and the scheduler against a server. Any number of them can be started; one works at a time, and another takes over within seconds when it is gone.',
  flags: { ...componentFlags, ...tokenFlags, ...autoscalingFlags },
  async run(values, terminal) {
    const parts = await openComponentParts(values, terminal);
    try {
      const { runControlPlane } = await import('../cluster/control-plane.ts');
      const { allControllers } = await import('../controllers/index.ts');
      const identity = `${hostname()}_${parts.ids.uid()}`;
      const plane = runControlPlane({
        ...parts,
        controllers: allControllers({
          accountTokens: await accountTokensFrom(values),
          autoscaling: autoscalingTimesFrom(values),
        }),
        identity,
      });
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
