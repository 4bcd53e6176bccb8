import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import type { Plan } from '../load/plan.ts';
import { sendAll } from '../load/load-process.ts';
import { padded, tokens } from '../load/request-template.ts';
import type { RequestTemplate } from '../load/request-template.ts';
import type { BenchOptions } from '../options.ts';
import { podBody, pods } from '../pod.ts';
import { ask, startWherry, type WherryServer } from '../servers/wherry-server.ts';
import type { Row } from './row.ts';

export interface SpeedRowParts extends Omit<Plan, 'access' | 'watch'> {
  readonly name: string;
  readonly about: string;
  readonly goal?: string;
  /** Pods that are there before. */
  readonly podsBefore: number;
  /** Open watches on all pods; what is measured is then the events that they get. */
  readonly watchers?: number;
}

/** More pods than a run makes. */
export const fresh = 10_000_000;

/** Creates pods with numbers of their own. */
export const creation: RequestTemplate = { method: 'POST', path: pods, body: podBody(), objects: fresh };

/** A row that compares how fast one kind of request is answered. */
export function speedRow(parts: SpeedRowParts): Row {
  const { name, about } = parts;
  return {
    name,
    about,
    async run(options) {
      const server = await startWherry(options.cli);
      try {
        if (parts.podsBefore > 0) await fill(server, parts.podsBefore);
        return [await measure(server, parts, options)];
      } finally {
        await server.close();
      }
    },
  };
}

export function fill(server: WherryServer, count: number): Promise<void> {
  return sendAll({ access: server.access, template: creation, connections: 32 }, count);
}

async function measure(server: WherryServer, parts: SpeedRowParts, options: BenchOptions): Promise<Figure> {
  const { name: row, about: what, goal, watchers, template, connections, meanwhile } = parts;
  const answer = await ask(server.access, sampleOf(template));
  const watch = watchers && { path: watchPath(answer), watchers };
  const plan = { template, connections, meanwhile, watch: watch || undefined };
  const comparison = await compare(server, answer, plan, options.effort);
  return { row, what, unit: watch ? 'events/s' : 'requests/s', ...comparison, goal };
}

/** A watch that begins behind the sample, so that there is nothing to be told at the beginning. */
function watchPath(sample: Buffer): string {
  const { metadata } = JSON.parse(sample.toString('utf8')) as { metadata: { resourceVersion: string } };
  return `${pods}?watch=true&resourceVersion=${metadata.resourceVersion}`;
}

/** The request with numbers that a round does not use before long: its answer is what the floor gives. */
function sampleOf(template: RequestTemplate): RequestTemplate {
  const object = template.objects === fresh ? fresh : 0;
  const fillIn = (text: string): string =>
    text
      .replaceAll(tokens.object, padded(object))
      .replaceAll(tokens.decade, padded(Math.floor(object / 10)))
      .replaceAll(tokens.serial, padded(fresh));
  return { ...template, path: fillIn(template.path), body: template.body && fillIn(template.body) };
}
