import { describe } from 'node:test';
import { attachSuite } from './suites/attach-suite.ts';
import { execSuite } from './suites/exec-suite.ts';
import { livesSuite } from './suites/lives-suite.ts';
import { logSuite } from './suites/log-suite.ts';
import { mountSuite } from './suites/mount-suite.ts';
import { podSuite } from './suites/pod-suite.ts';
import { portSuite } from './suites/port-suite.ts';
import { restartSuite } from './suites/restart-suite.ts';
import { stopSuite } from './suites/stop-suite.ts';
import type { OpenRuntime } from './testing/runtime-fixture.ts';

/** What every runtime promises. Containers use the images `busybox`, which has a shell and the usual tools, and `node`. */
export function runtimeSuite(name: string, open: OpenRuntime): void {
  describe(`${name}: lives of containers`, () => livesSuite(open));
  describe(`${name}: stopping`, () => stopSuite(open));
  describe(`${name}: restarts of the agent`, () => restartSuite(open));
  describe(`${name}: logs`, () => logSuite(open));
  describe(`${name}: mounts`, () => mountSuite(open));
  describe(`${name}: commands beside a container`, () => execSuite(open));
  describe(`${name}: attaching`, () => attachSuite(open));
  describe(`${name}: pods`, () => podSuite(open));
  describe(`${name}: ports`, () => portSuite(open));
}
