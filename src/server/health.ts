/** One thing that must be well. Throws, or rejects, with what is wrong. */
export interface HealthCheck {
  readonly name: string;
  check(): void | Promise<void>;
}

export interface HealthAnswer {
  readonly code: number;
  readonly text: string;
}

/** Which checks each of the three paths runs. `ping` is always among them. */
export interface HealthChecks {
  readonly livez?: readonly HealthCheck[];
  readonly readyz?: readonly HealthCheck[];
}

const ping: HealthCheck = { name: 'ping', check() {} };

/**
 * The answer to `/healthz`, `/livez` and `/readyz`, and to `/readyz/<check>` for a single one; undefined for any other path.
 * `verbose` lists each check, `exclude` leaves some out.
 */
export async function answerHealth(
  path: string,
  query: URLSearchParams,
  checks: HealthChecks,
): Promise<HealthAnswer | undefined> {
  const [, endpoint = '', only] = /^\/(healthz|livez|readyz)(?:\/([^/]+))?\/?$/.exec(path) ?? [];
  if (!endpoint) return undefined;
  const named = [ping, ...((endpoint === 'readyz' ? checks.readyz : checks.livez) ?? [])];
  const excluded = new Set(query.getAll('exclude'));
  const chosen =
    only === undefined ? named.filter(({ name }) => !excluded.has(name)) : named.filter(({ name }) => name === only);
  if (chosen.length === 0) return undefined;
  const results = await Promise.all(chosen.map(run));
  const failed = results.some(({ failure }) => failure !== undefined);
  if (!failed && !query.has('verbose')) return { code: 200, text: 'ok' };
  const lines = results.map(({ name, failure }) =>
    failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${failure}`,
  );
  return { code: failed ? 503 : 200, text: `${lines.join('\n')}\n${endpoint} check ${failed ? 'failed' : 'passed'}\n` };
}

async function run(check: HealthCheck): Promise<{ name: string; failure?: string }> {
  try {
    await check.check();
    return { name: check.name };
  } catch (error) {
    return { name: check.name, failure: error instanceof Error ? error.message : String(error) };
  }
}
