import assert from 'node:assert/strict';
import type { TokenRequest } from '../../src/kinds/authentication/token-request.ts';
import { openGuardedCluster, type Credentials, type GuardedCluster } from './guarded-cluster.ts';

/** A cluster with people of all sorts, and things that are not for everybody. */
export interface PeopledCluster extends GuardedCluster {
  readonly identities: Readonly<Record<string, Credentials>>;
  /** Binds a cluster role in namespace one; gives the path of the binding. */
  readonly give: (role: string, subject: object) => Promise<string>;
  readonly assertNoTokenLogged: () => void;
}

const tokens = [
  'viewer-token,viewer,1',
  'editor-token,editor,2,"editors"',
  'keeper-token,keeper,3',
  'stranger-token,stranger,4',
].join('\n');

export const one = '/api/v1/namespaces/one';
export const two = '/api/v1/namespaces/two';
export const rbac = '/apis/rbac.authorization.k8s.io/v1';
export const limit = { timeout: 60_000 };
export const merge = { 'Content-Type': 'application/merge-patch+json' };

export async function openPeopledCluster(): Promise<PeopledCluster> {
  const guarded = await openGuardedCluster(tokens);
  let bindings = 0;
  async function give(role: string, subject: object): Promise<string> {
    const name = `b${++bindings}`;
    const path = `${rbac}/namespaces/one/rolebindings`;
    const roleRef = { kind: 'ClusterRole', name: role };
    await guarded.make('POST', path, { metadata: { name }, subjects: [subject], roleRef });
    return `${path}/${name}`;
  }
  try {
    await furnish(guarded);
    await give('view', { kind: 'User', name: 'viewer' });
    await give('edit', { kind: 'Group', name: 'editors' });
    await give('admin', { kind: 'User', name: 'keeper' });
    await give('edit', { kind: 'ServiceAccount', name: 'robot' });
    const identities = await identitiesIn(guarded);
    const assertNoTokenLogged = (): void => checkLog(guarded.logged(), identities);
    return { ...guarded, identities, give, assertNoTokenLogged };
  } catch (error) {
    await guarded.close();
    throw error;
  }
}

async function identitiesIn({ cluster, issue, make }: GuardedCluster): Promise<Record<string, Credentials>> {
  const { status } = (await make('POST', `${one}/serviceaccounts/robot/token`, {})) as unknown as TokenRequest;
  return {
    admin: { pair: { certificate: cluster.admin.certificate, key: cluster.admin.key } },
    viewer: { token: 'viewer-token' },
    viewerCert: { pair: await issue('viewer', []) },
    editor: { token: 'editor-token' },
    editorCert: { pair: await issue('somebody', ['editors']) },
    keeper: { token: 'keeper-token' },
    robot: { token: status?.token },
    node: { pair: await issue('system:node:n1', ['system:nodes']) },
    stranger: { token: 'stranger-token' },
    nobody: {},
  };
}

/** Two namespaces with the same things in them; rights are given in the first one only. */
async function furnish({ make }: GuardedCluster): Promise<void> {
  for (const name of ['n1', 'n2']) await make('POST', '/api/v1/nodes', { metadata: { name } });
  for (const name of ['one', 'two']) {
    const space = `/api/v1/namespaces/${name}`;
    await make('POST', '/api/v1/namespaces', { metadata: { name } });
    for (const secret of ['used', 'unused']) {
      await make('POST', `${space}/secrets`, { metadata: { name: secret }, data: { hush: 'aHVzaC1odXNo' } });
    }
    await make('POST', `${space}/serviceaccounts`, { metadata: { name: 'robot' } });
    const volumes = [{ name: 'v', secret: { secretName: 'used' } }];
    const containers = [{ name: 'c', image: 'busybox' }];
    for (const [pod, nodeName] of [
      ['mine', 'n1'],
      ['theirs', 'n2'],
    ]) {
      const nodeVolumes = pod === 'mine' && name === 'one' ? volumes : undefined;
      const spec = { nodeName, containers, volumes: nodeVolumes };
      await make('POST', `${space}/pods`, { metadata: { name: pod }, spec });
    }
  }
}

function checkLog(logged: string, identities: Readonly<Record<string, Credentials>>): void {
  assert.match(logged, /serving/);
  for (const { token } of Object.values(identities)) {
    if (token === undefined) continue;
    assert.equal(logged.includes(token), false);
    const [, , signature] = token.split('.');
    if (signature) assert.equal(logged.includes(signature), false);
  }
}
