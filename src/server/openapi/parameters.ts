/** A parameter in a path or a query. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
  /** May be given several times. */
  readonly repeats?: boolean;
}

function query(name: string, type: Parameter['type'], description: string): Parameter {
  return { name, in: 'query', type, description };
}

function path(name: string, description: string): Parameter {
  return { name, in: 'path', type: 'string', description };
}

const pretty = query('pretty', 'string', 'With true, the answer is indented for people to read.');
const dryRun = query('dryRun', 'string', 'With All, everything is checked and answered, and nothing is stored.');

const selection = [
  query('labelSelector', 'string', 'Only objects whose labels match; everything when absent.'),
  query('fieldSelector', 'string', 'Only objects whose fields match; everything when absent.'),
];
const listing = [
  ...selection,
  query('watch', 'boolean', 'Answers with a stream of changes instead of a list.'),
  query('allowWatchBookmarks', 'boolean', 'Lets a stream tell from time to time how far it has got.'),
  query('resourceVersion', 'string', 'With watch, changes after this version; all that are known when absent.'),
  query('timeoutSeconds', 'integer', 'How long a stream goes on.'),
  query('limit', 'integer', 'The most objects to answer with; the answer says how to get the next.'),
  query('continue', 'string', 'What the list before this one gave for getting the next objects.'),
];
const writing = [
  dryRun,
  query('fieldManager', 'string', 'Who writes; taken and not kept.'),
  query('fieldValidation', 'string', 'What is done about unknown fields: Ignore, Warn or Strict.'),
];
const deleting = [
  dryRun,
  query('gracePeriodSeconds', 'integer', 'Seconds the object is given to end; 0 removes it at once.'),
  query('orphanDependents', 'boolean', 'Whether objects that belong to this one are left behind.'),
  query(
    'propagationPolicy',
    'string',
    'What becomes of objects that belong to this one: Orphan, Background or Foreground.',
  ),
];
const exporting = [
  query('export', 'boolean', 'Leaves out what a user cannot specify.'),
  query('exact', 'boolean', 'With export, keeps what ties the object to this cluster, such as its namespace.'),
];
const container = query('container', 'string', 'Which container; may be left out when the pod has only one.');
const streams = [
  query('stdin', 'boolean', 'Passes input on; false when absent.'),
  query('stdout', 'boolean', 'Passes output back; true when absent.'),
  query('stderr', 'boolean', 'Passes messages back; true when absent.'),
  query('tty', 'boolean', 'Gives the process a terminal; false when absent.'),
  container,
];
const command = query('command', 'string', 'The command and its arguments; no shell takes part.');
const log = [
  container,
  query('follow', 'boolean', 'Goes on as the log grows.'),
  query('previous', 'boolean', 'The log of the container that ended before this one.'),
  query('sinceSeconds', 'integer', 'Only what was written in the last seconds; not with sinceTime.'),
  query('sinceTime', 'string', 'Only what was written after this moment, in RFC 3339; not with sinceSeconds.'),
  query('timestamps', 'boolean', 'Puts a moment in RFC 3339 before each line.'),
  query('tailLines', 'integer', 'Only so many lines from the end.'),
  query('limitBytes', 'integer', 'Ends after about so many bytes.'),
];

/** By what is asked for: a verb, or the name of a sub-resource that takes parameters of its own. */
const queries: Readonly<Record<string, readonly Parameter[]>> = {
  list: [...listing, pretty],
  watch: [...listing, pretty],
  deletecollection: [...listing, ...deleting, pretty],
  get: [...exporting, pretty],
  create: [...writing, pretty],
  update: [...writing, pretty],
  patch: [...writing, pretty],
  delete: [...deleting, pretty],
  log: [...log, pretty],
  attach: streams,
  exec: [...streams, { ...command, repeats: true }],
  portforward: [],
  proxy: [query('path', 'string', 'Path, and query, to ask for.')],
};

/** What can stand in the query of a request for a stream of a sub-resource, or for a verb. */
export function queryParameters(verb: string, stream: string | undefined): readonly Parameter[] {
  return queries[stream ?? verb] ?? [];
}

const pathParameterTexts: Readonly<Record<string, string>> = {
  namespace: 'Namespace that the objects live in.',
  name: 'Name of the object.',
  path: 'Path to ask for.',
};

/** The parameters in a path such as `/api/v1/nodes/{name}`. */
export function pathParameters(template: string): readonly Parameter[] {
  return Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => path(name, pathParameterTexts[name] ?? ''));
}
