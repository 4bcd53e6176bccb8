import { runtimeSuite } from '../runtime-suite.ts';
import { openForTest } from './testing/open-for-test.ts';

runtimeSuite('process runtime', openForTest);
