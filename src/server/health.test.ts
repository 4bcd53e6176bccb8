import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerHealth, type HealthChecks } from './health.ts';

const well: HealthChecks = {
  livez: [{ name: 'loop', check() {} }],
  readyz: [{ name: 'storage', check: () => Promise.resolve() }],
};
const unwell: HealthChecks = {
  readyz: [
    { name: 'storage', check: () => Promise.reject(new Error('disk is full')) },
    {
      name: 'controllers',
      check() {
        throw new Error('not started');
      },
    },
  ],
};

function ask(path: string, checks: HealthChecks, query = ''): ReturnType<typeof answerHealth> {
  return answerHealth(path, new URLSearchParams(query), checks);
}

describe('health', () => {
  it('is ok when every check passes', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/healthz/', '/healthz/ping', '/readyz/storage']) {
      assert.deepEqual(await ask(path, well), { code: 200, text: 'ok' }, path);
    }
  });

  it('names what is wrong', async () => {
    const answer = await ask('/readyz', unwell);
    assert.equal(answer?.code, 503);
    assert.equal(
      answer.text,
      '[+]ping ok\n[-]storage failed: disk is full\n[-]controllers failed: not started\nreadyz check failed\n',
    );
    assert.equal((await ask('/livez', unwell))?.code, 200);
  });

  it('lists every check when asked to', async () => {
    assert.deepEqual(await ask('/readyz', well, 'verbose'), {
      code: 200,
      text: '[+]ping ok\n[+]storage ok\nreadyz check passed\n',
    });
  });

  it('leaves out what is excluded', async () => {
    assert.equal((await ask('/readyz', unwell, 'exclude=storage&exclude=controllers'))?.code, 200);
    assert.equal((await ask('/readyz/ping', unwell))?.code, 200);
    assert.equal((await ask('/readyz/controllers', unwell))?.code, 503);
  });

  it('knows no other paths and no other checks', async () => {
    for (const path of ['/', '/health', '/healthzz', '/readyz/nothing', '/readyz/storage/more'])
      assert.equal(await ask(path, well), undefined, path);
  });
});
