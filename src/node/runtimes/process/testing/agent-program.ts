/**
 * An agent that tests can kill: opens the runtime in the directory of its first argument, starts as many containers as its second says, each of a
 * pod of its own, says in one line that it did or why it could not, and stays. What the third argument says, a shell runs in each, with the path
 * of the fourth, unless that is empty, mounted at /data. The fifth is the make of the pods' network.
 */
import { systemClock } from '../../../../base/clock.ts';
import { randomIds } from '../../../../base/ids.ts';
import { silentLogger } from '../../../../base/logger.ts';
import type { Pod } from '../../../../kinds/core/pod.ts';
import type { Runtime } from '../../../runtime.ts';
import { openProcessRuntime } from '../open-process-runtime.ts';

const [directory = '', count = '1', script = 'exec sleep 1000', volume = '', network = 'loopback'] =
  process.argv.slice(2);

async function startOne(runtime: Runtime, number: number): Promise<void> {
  const name = `pod-${number}`;
  const pod: Pod = { kind: 'Pod', apiVersion: 'v1', status: {}, metadata: { namespace: 'default', name, uid: `uid-${number}` }, spec: { containers: [] } }; // prettier-ignore
  const command = ['/bin/sh', '-c', script];
  const container = { name: 'main', image: 'busybox', terminationMessagePath: '/dev/termination-log', command };
  await runtime.start({
    pod: { namespace: 'default', name, uid: `uid-${number}` },
    place: await runtime.preparePod(pod),
    container,
    image: await runtime.pull(container),
    attempt: 0,
    environment: {},
    command,
    args: [],
    mounts: volume === '' ? [] : [{ hostPath: volume, containerPath: '/data', readOnly: false }],
  });
}

setInterval(() => {}, 1_000_000);
const options = {
  directory,
  network: network === 'veth' ? 'veth' : 'loopback',
  addressRegistry: `${directory}.addresses`,
  clock: systemClock,
  ids: randomIds,
  logger: silentLogger,
} as const;
const runtime = await openProcessRuntime(options);
const starts = Array.from({ length: Number(count) }, (_, number) => startOne(runtime, number));
const failures = (await Promise.allSettled(starts)).flatMap((start) =>
  start.status === 'rejected' ? [start.reason] : [],
);
process.stdout.write(failures.length === 0 ? 'ready\n' : `${failures[0].reason}: ${failures[0].message}\n`);
