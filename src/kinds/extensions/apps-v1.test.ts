import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { FieldErrors } from '../../schema/field-errors.ts';
import { validate } from '../../schema/validate.ts';
import type { Kind } from '../kind.ts';
import type { ApiObject } from '../meta/object-meta.ts';
import { servedVersions, type ServedVersion } from '../served-version.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment, type Deployment, type DeploymentSpec } from './deployment.ts';
import { replicaSet } from './replica-set.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx:1.9' }] } };
const selector = { matchLabels: labels };
const rollbackTo = 'deprecated.deployment.rollback.to';

function appsOf(kind: Kind): ServedVersion {
  const served = servedVersions(kind).find(({ apiVersion }) => apiVersion === 'apps/v1');
  assert.ok(served?.conversion);
  return served;
}

function stored(kind: Kind, spec: object, metadata: object = {}): ApiObject {
  const { schema, conversion } = appsOf(kind);
  const decoded = decode(schema, { metadata: { name: 'web', ...metadata }, spec });
  assert.deepEqual([decoded.unknown, decoded.mistakes], [[], []]);
  return conversion!.toStored(decoded.value);
}

function shown(kind: Kind, body: object): ApiObject & { spec: Record<string, unknown> } {
  const object = decode(kind.schema, { metadata: { name: 'web' }, ...body }).value;
  return appsOf(kind).conversion!.fromStored(object) as ApiObject & { spec: Record<string, unknown> };
}

function mistakes(errors: FieldErrors): string[] {
  return errors.list.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
}

for (const kind of [deployment, replicaSet, daemonSet] as readonly Kind[]) {
  describe(`${kind.kind} of apps/v1`, () => {
    const { rules } = appsOf(kind);

    test('takes neither labels nor selector from the template, and must have a selector', () => {
      const object = stored(kind, { template }) as Deployment;
      assert.equal(object.metadata.labels, undefined);
      assert.equal(object.spec.selector, undefined);
      const errors = validate(kind.schema, object);
      rules!.validate!(object, errors);
      assert.deepEqual(
        mistakes(errors).filter((mistake) => mistake.startsWith('spec.selector ')),
        ['spec.selector Required'],
      );
    });

    test('keeps its selector', () => {
      const old = stored(kind, { template, selector });
      const unchanged = new FieldErrors();
      rules!.validateUpdate!(stored(kind, { template, selector }), old, unchanged);
      assert.deepEqual(mistakes(unchanged), []);
      const changed = new FieldErrors();
      const other = { matchLabels: labels, matchExpressions: [{ key: 'app', operator: 'Exists' }] };
      rules!.validateUpdate!(stored(kind, { template, selector: other }), old, changed);
      assert.deepEqual(mistakes(changed), ['spec.selector Invalid']);
    });

    test('passes the rules of what is stored', () => {
      assert.deepEqual(mistakes(validate(kind.schema, stored(kind, { template, selector }))), []);
    });
  });
}

describe('what apps/v1 says by itself', () => {
  test('a deployment replaces a quarter at a time, keeps ten revisions and has ten minutes', () => {
    const { strategy, revisionHistoryLimit, progressDeadlineSeconds } = (
      stored(deployment, { template, selector }) as Deployment
    ).spec;
    assert.deepEqual(strategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
    });
    assert.deepEqual([revisionHistoryLimit, progressDeadlineSeconds], [10, 600]);
  });

  test('a daemon set replaces pods by itself, one at a time', () => {
    const { spec } = stored(daemonSet, { template, selector }) as unknown as { spec: object };
    assert.deepEqual((spec as { updateStrategy: object }).updateStrategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1 },
    });
    assert.deepEqual(shown(daemonSet, { spec: { template } }).spec['updateStrategy'], { type: 'OnDelete' });
  });
});

describe('a deployment without limits', () => {
  test('shows the largest number in apps/v1', () => {
    const { spec } = shown(deployment, { spec: { template } });
    assert.deepEqual([spec['revisionHistoryLimit'], spec['progressDeadlineSeconds']], [2147483647, 2147483647]);
  });

  test('is one with the largest number, whichever version says so', () => {
    const limits = { revisionHistoryLimit: 2147483647, progressDeadlineSeconds: 2147483647 };
    const inExtensions = decode(deployment.schema, { spec: { template, ...limits } }).value.spec;
    for (const spec of [inExtensions, (stored(deployment, { template, selector, ...limits }) as Deployment).spec]) {
      assert.deepEqual([spec.revisionHistoryLimit, spec.progressDeadlineSeconds], [undefined, undefined]);
    }
  });
});

describe('the wish to go back', () => {
  test('is an annotation in apps/v1', () => {
    const object = shown(deployment, {
      metadata: { annotations: { a: 'b' } },
      spec: { template, rollbackTo: { revision: 3 } },
    });
    assert.deepEqual(object.metadata.annotations, { a: 'b', [rollbackTo]: '3' });
    assert.ok(!('rollbackTo' in object.spec));
    const last = shown(deployment, { spec: { template, rollbackTo: {} } });
    assert.deepEqual(last.metadata.annotations, { [rollbackTo]: '0' });
  });

  test('is stored as a field', () => {
    const wish = (text: string): unknown[] => {
      const object = stored(deployment, { template, selector }, { annotations: { [rollbackTo]: text } }) as Deployment;
      return [object.spec.rollbackTo, object.metadata.annotations];
    };
    assert.deepEqual(wish('7'), [{ revision: 7 }, undefined]);
    assert.deepEqual(wish('0'), [{}, undefined]);
    assert.deepEqual(wish(String(Number.MAX_SAFE_INTEGER)), [{ revision: Number.MAX_SAFE_INTEGER }, undefined]);
    for (const text of ['', '-1', '01', 'last', '9'.repeat(16), '9'.repeat(30)]) {
      assert.deepEqual(wish(text), [undefined, { [rollbackTo]: text }]);
    }
  });
});

test('a deadline leaves time for pods to become available', () => {
  const deadline = (spec: Partial<DeploymentSpec>): string[] =>
    mistakes(validate(deployment.schema, stored(deployment, { template, selector, ...spec })));
  assert.deepEqual(deadline({ progressDeadlineSeconds: 11, minReadySeconds: 10 }), []);
  assert.deepEqual(deadline({ progressDeadlineSeconds: 10, minReadySeconds: 10 }), [
    'spec.progressDeadlineSeconds Invalid',
  ]);
  assert.deepEqual(deadline({ minReadySeconds: 600 }), ['spec.progressDeadlineSeconds Invalid']);
  assert.deepEqual(deadline({ progressDeadlineSeconds: -1 }), ['spec.progressDeadlineSeconds Invalid']);
});

test('a daemon set cannot roll with no pod missing', () => {
  const pace = (maxUnavailable: unknown): string[] => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } };
    return mistakes(validate(daemonSet.schema, stored(daemonSet, { template, selector, updateStrategy })));
  };
  const where = 'spec.updateStrategy.rollingUpdate.maxUnavailable Invalid';
  for (const fine of [1, '20%', '100%']) assert.deepEqual(pace(fine), []);
  for (const wrong of [0, '0%', '101%', -1]) assert.deepEqual(pace(wrong), [where]);
});
