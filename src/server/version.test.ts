import assert from 'node:assert/strict';
import { it } from 'node:test';
import { versionInfo } from './version.ts';

it('the version names the API that is served and the release that serves it', () => {
  const info = versionInfo('0.1.0');
  assert.deepEqual([info.major, info.minor, info.gitVersion], ['1', '2', 'v1.2.7+wherry-0.1.0']);
  assert.match(info.platform, /^\w+\/\w+$/);
});
