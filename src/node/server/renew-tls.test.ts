import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAgent } from '../testing/agent-fixture.ts';
import { makeNodeCertificates } from '../testing/node-certificates.ts';
import { getFromNode, openFromNode } from '../testing/node-connection.ts';

test('a node shows renewed certificates and asks for theirs, and leaves open connections alone', async (context) => {
  const fixture = await openAgent();
  context.after(() => fixture.close());
  await fixture.createPod('web');
  const old = { port: fixture.run.port!, ca: fixture.certificates.tls.ca, pair: fixture.certificates.apiServer };
  const followed = await openFromNode(old, '/containerLogs/one/web/main?follow=true');
  const { tls, apiServer, stranger } = await makeNodeCertificates();
  fixture.run.renewTls(tls);
  const renewed = { ...old, ca: tls.ca, pair: apiServer };
  assert.equal((await getFromNode(renewed, '/healthz')).body, 'ok');
  assert.equal((await getFromNode({ ...renewed, pair: stranger }, '/healthz')).status, 403);
  await assert.rejects(getFromNode(old, '/healthz'), /certificate/);
  await assert.rejects(getFromNode({ ...renewed, pair: old.pair }, '/healthz'));
  await assert.rejects(getFromNode({ ...renewed, pair: undefined }, '/healthz'));
  fixture.machine.find('main').print('still read');
  for await (const chunk of followed) {
    assert.equal(String(chunk), 'still read\n');
    break;
  }
});
