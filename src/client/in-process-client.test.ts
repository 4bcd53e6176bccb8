import { clientSuite } from './client-suite.ts';
import { openClient } from './testing/client-fixture.ts';

clientSuite('in the same process', () => openClient());
