import { describe } from 'node:test';
import { runtimeSuite } from '../runtime-suite.ts';
import { openForTest } from './testing/open-for-test.ts';
import { whyNoOwnNetworks } from './testing/own-networks.ts';

describe('with networks of their own', { skip: await whyNoOwnNetworks() }, () => {
  runtimeSuite('process runtime', (directory) => openForTest(directory, { network: 'veth' }));
});
