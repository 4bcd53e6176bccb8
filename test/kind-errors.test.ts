import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { kinds } from '../src/kinds/index.ts';
import { servedVersions, type ServedVersion } from '../src/kinds/served-version.ts';
import type { Scene } from './contract/scene.ts';
import { openScene } from './contract/scene.ts';
import { bodyRefusals } from './kind-errors/bodies.ts';
import { nameRefusals } from './kind-errors/names.ts';
import { namespaceRefusals } from './kind-errors/namespaces.ts';
import { requestRefusals } from './kind-errors/requests.ts';
import { Subject } from './kind-errors/subject.ts';
import { versionRefusals } from './kind-errors/versions.ts';

const limit = { timeout: 60_000 };
let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

/** Every condition under which a request is refused, with the example of every kind in every version. */
const suites: readonly ((subject: Subject) => void)[] = [
  namespaceRefusals,
  nameRefusals,
  bodyRefusals,
  versionRefusals,
  requestRefusals,
];

for (const served of kinds.flatMap(servedVersions)) {
  describe(`${served.kind.kind} of ${served.apiVersion}: refusals`, limit, () => runSuites(served));
}

function runSuites(served: ServedVersion): void {
  const subject = new Subject(served, {
    send: (method, path, sent) => scene.send(method, path, sent),
    freshName: () => scene.freshName(),
  });
  before(() => subject.open());
  for (const suite of suites) suite(subject);

  test('what was refused left nothing behind', async () => {
    assert.deepEqual(await subject.leftBehind(), []);
  });
}
