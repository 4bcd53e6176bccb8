import assert from 'node:assert/strict';
import { systemClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { openInterfaceAddresses } from '../addresses/interface-addresses.ts';
import { commandRunner } from '../addresses/run-command.ts';
import { namedBackend } from './backend.ts';
import { openProxy } from './proxy-fixture.ts';
import { call } from './visitor.ts';

// Run in a network of its own, as root of that network, by interface-addresses.test.ts.
const run = commandRunner(systemClock);
const options = { run, logger: silentLogger, owner: 'node-1' };

async function addresses(): Promise<string[]> {
  const text = await run('ip', ['-o', '-4', 'address', 'show', 'dev', 'lo']);
  return [...text.matchAll(/inet ([\d.]+)/g)].map(([, address = '']) => address);
}

// A service is reached at an address that the machine has only while there is the service.
const backend = await namedBackend('a');
const proxy = await openProxy({ addressManager: await openInterfaceAddresses(options) });
const web = { host: '10.0.0.5', port: 80 };
await proxy.createService('web', { clusterIP: web.host, ports: [{ port: web.port }] });
assert.equal(await call(web), 'ECONNREFUSED');
await proxy.setEndpoints('web', [backend]);
assert.equal(await call(web), 'a');
assert.deepEqual(await addresses(), ['127.0.0.1', '10.0.0.5']);
await proxy.deleteService('web');
assert.deepEqual(await addresses(), ['127.0.0.1']);

// The end of the proxy is the end of its addresses; nobody complained.
await proxy.createService('other', { clusterIP: '10.0.0.6', ports: [{ port: 80 }] });
assert.deepEqual(await addresses(), ['127.0.0.1', '10.0.0.6']);
assert.deepEqual([...(await proxy.eventsOf('web')), ...(await proxy.eventsOf('other'))], []);
await proxy.close();
await backend.close();
assert.deepEqual(await addresses(), ['127.0.0.1']);

// What was there stays; what an earlier run left goes, but only that of the same owner.
await run('ip', ['address', 'add', '10.0.0.7/32', 'dev', 'lo']);
const [earlier, foreign] = [
  await openInterfaceAddresses(options),
  await openInterfaceAddresses({ ...options, owner: 'x' }),
];
await earlier.hold('10.0.0.7');
await earlier.hold('10.0.0.8');
await foreign.hold('10.0.0.9');
await earlier.release('10.0.0.7');
assert.deepEqual(await addresses(), ['127.0.0.1', '10.0.0.7', '10.0.0.8', '10.0.0.9']);
await openInterfaceAddresses(options);
assert.deepEqual(await addresses(), ['127.0.0.1', '10.0.0.7', '10.0.0.9']);
await assert.rejects(earlier.hold('2001:db8::1'), /only IPv4/);
await assert.rejects(openInterfaceAddresses({ ...options, device: 'nowhere' }), /ip failed: .*nowhere/);
