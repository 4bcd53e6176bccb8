/** What kind of operation it is: decides what a request to it must bring about. */
export type Family =
  | 'list'
  | 'create'
  | 'deleteCollection'
  | 'read'
  | 'replace'
  | 'patch'
  | 'delete'
  | 'watch'
  | 'replaceStatus'
  | 'replaceFinalizers'
  | 'scale'
  | 'rollback'
  | 'binding'
  | 'log'
  | 'connect'
  | 'proxy'
  | 'discovery';

/** One operation that the interface promises. */
export interface Operation {
  readonly family: Family;
  readonly method: string;
  /** With `{namespace}`, `{name}` and `{path}` standing for what a request puts there. */
  readonly path: string;
  /** Path segment of the kind that is acted on; empty for discovery. */
  readonly resource: string;
  /** Names in the query. */
  readonly query: readonly string[];
}

const core = '/api/v1';
const extensions = '/apis/extensions/v1beta1';
const inNamespace = '/namespaces/{namespace}';

const pretty = ['pretty'];
const listing = ['pretty', 'labelSelector', 'fieldSelector', 'watch', 'resourceVersion', 'timeoutSeconds'];
const reading = ['pretty', 'export', 'exact'];
const logging = [
  'container',
  'follow',
  'previous',
  'sinceSeconds',
  'sinceTime',
  'timestamps',
  'tailLines',
  'limitBytes',
];
const streams = ['stdin', 'stdout', 'stderr', 'tty', 'container'];

/** Kinds of namespaces by group; a star marks those with a status of their own. */
const namespaced: Readonly<Record<string, string>> = {
  [core]:
    'configmaps endpoints events limitranges persistentvolumeclaims* pods* podtemplates replicationcontrollers* resourcequotas* secrets serviceaccounts services*',
  [extensions]: 'daemonsets* deployments* horizontalpodautoscalers* ingresses* jobs* replicasets*',
};

const ofTheCluster = ['namespaces', 'nodes', 'persistentvolumes'];

/** Every operation of the interface. */
export function operations(): Operation[] {
  return [
    ...discovery(),
    ...Object.entries(namespaced).flatMap(([prefix, names]) => names.split(' ').flatMap((name) => kind(prefix, name))),
    ...ofTheCluster.flatMap(clusterKind),
    ...componentStatuses(),
    ...subresources(),
    ...podConnections(),
    ...proxies(),
  ];
}

function discovery(): Operation[] {
  return [core, extensions].map((path) => ({ family: 'discovery', method: 'GET', path, resource: '', query: [] }));
}

function kind(prefix: string, marked: string): Operation[] {
  const resource = marked.replace('*', '');
  const collection = `${prefix}${inNamespace}/${resource}`;
  const everywhere: Operation = {
    family: 'list',
    method: 'GET',
    path: `${prefix}/${resource}`,
    resource,
    query: listing,
  };
  const watches = ['', inNamespace].map((scope) => watch(`${prefix}/watch${scope}/${resource}`, resource));
  const watchOne = watch(`${prefix}/watch${inNamespace}/${resource}/{name}`, resource);
  return [
    ...standard(collection, resource),
    everywhere,
    ...watches,
    watchOne,
    ...(marked.endsWith('*') ? status(collection, resource) : []),
  ];
}

function clusterKind(resource: string): Operation[] {
  const collection = `${core}/${resource}`;
  return [
    ...standard(collection, resource),
    ...status(collection, resource),
    watch(`${core}/watch/${resource}`, resource),
    watch(`${core}/watch/${resource}/{name}`, resource),
  ];
}

/** What most kinds can do. Services are deleted one by one. */
function standard(collection: string, resource: string): Operation[] {
  const one = `${collection}/{name}`;
  const all: Operation[] = [
    { family: 'list', method: 'GET', path: collection, resource, query: listing },
    { family: 'create', method: 'POST', path: collection, resource, query: pretty },
    { family: 'deleteCollection', method: 'DELETE', path: collection, resource, query: listing },
    { family: 'read', method: 'GET', path: one, resource, query: reading },
    { family: 'replace', method: 'PUT', path: one, resource, query: pretty },
    { family: 'patch', method: 'PATCH', path: one, resource, query: pretty },
    { family: 'delete', method: 'DELETE', path: one, resource, query: pretty },
  ];
  return resource === 'services' ? all.filter(({ family }) => family !== 'deleteCollection') : all;
}

function watch(path: string, resource: string): Operation {
  return { family: 'watch', method: 'GET', path, resource, query: listing };
}

function status(collection: string, resource: string): Operation[] {
  return [{ family: 'replaceStatus', method: 'PUT', path: `${collection}/{name}/status`, resource, query: pretty }];
}

function componentStatuses(): Operation[] {
  const resource = 'componentstatuses';
  const path = `${core}/${resource}`;
  return [
    { family: 'list', method: 'GET', path, resource, query: listing },
    { family: 'read', method: 'GET', path: `${path}/{name}`, resource, query: pretty },
  ];
}

function subresources(): Operation[] {
  const pod = `${core}${inNamespace}/pods/{name}`;
  const scaled = [
    [core, 'replicationcontrollers'],
    [extensions, 'replicationcontrollers'],
    [extensions, 'deployments'],
    [extensions, 'replicasets'],
  ] as const;
  const scales = scaled.flatMap(([prefix, resource]) =>
    ['GET', 'PUT', 'PATCH'].map((method): Operation => {
      const path = `${prefix}${inNamespace}/${resource}/{name}/scale`;
      return { family: 'scale', method, path, resource, query: pretty };
    }),
  );
  const rollback = `${extensions}${inNamespace}/deployments/{name}/rollback`;
  const finalize = `${core}/namespaces/{name}/finalize`;
  return [
    ...scales,
    { family: 'binding', method: 'POST', path: `${core}${inNamespace}/bindings`, resource: 'pods', query: pretty },
    { family: 'binding', method: 'POST', path: `${pod}/binding`, resource: 'pods', query: pretty },
    { family: 'log', method: 'GET', path: `${pod}/log`, resource: 'pods', query: [...pretty, ...logging] },
    { family: 'rollback', method: 'POST', path: rollback, resource: 'deployments', query: pretty },
    { family: 'replaceFinalizers', method: 'PUT', path: finalize, resource: 'namespaces', query: pretty },
  ];
}

function podConnections(): Operation[] {
  const ways = { exec: [...streams, 'command'], attach: streams, portforward: [] };
  return Object.entries(ways).flatMap(([part, query]) =>
    ['GET', 'POST'].map((method): Operation => {
      const path = `${core}${inNamespace}/pods/{name}/${part}`;
      return { family: 'connect', method, path, resource: 'pods', query };
    }),
  );
}

/** What can be reached through the server, in the newer and the older form, with and without a path behind it. */
function proxies(): Operation[] {
  const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS'];
  const reached = [
    [inNamespace, 'pods'],
    [inNamespace, 'services'],
    ['', 'nodes'],
  ] as const;
  return reached.flatMap(([scope, resource]) => {
    const newer = `${core}${scope}/${resource}/{name}/proxy`;
    const older = `${core}/proxy${scope}/${resource}/{name}`;
    const paths = [newer, `${newer}/{path}`, older, `${older}/{path}`];
    return paths.flatMap((path) =>
      methods.map((method): Operation => {
        const query = path.startsWith(newer) ? ['path'] : [];
        return { family: 'proxy', method, path, resource, query };
      }),
    );
  });
}
