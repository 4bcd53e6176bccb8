import type { Access } from './connection.ts';
import type { RequestTemplate } from './request-template.ts';

/** What a load process does to a server. */
export interface Plan {
  readonly access: Access;
  readonly template: RequestTemplate;
  /** Requests under way at once, each on a connection of its own. */
  readonly connections: number;
  /** Other requests now and then, which do not count. */
  readonly meanwhile?: { readonly template: RequestTemplate; readonly everyMs: number };
  /** Open watches; what counts is then the events that they get. */
  readonly watch?: { readonly path: string; readonly watchers: number };
}

/** When a round ends. */
export interface RoundEnd {
  readonly ms?: number;
  readonly requests?: number;
}

export interface Round {
  /** Answers, or events where there are watchers. */
  readonly count: number;
  readonly ms: number;
}

export type Command = { readonly do: 'open'; readonly plan: Plan } | { readonly do: 'round'; readonly until: RoundEnd };

export type Reply =
  | { readonly did: 'open' }
  | { readonly did: 'round'; readonly round: Round }
  | { readonly did: 'fail'; readonly why: string };
