import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kinds } from '../../kinds/index.ts';
import { servedVersions } from '../../kinds/served-version.ts';
import type { ObjectSchema } from '../../schema/schema.ts';
import { describedApi } from './testing/described-api.ts';
import { typesWithin } from './type-names.ts';

const { types } = describedApi();
const served = kinds.flatMap((kind) => servedVersions(kind));
const byName = new Map([...types.all].map((type) => [type.name, type]));

/** What descriptions say about a type, but for the types of its fields. */
function shapeOf({ description, fieldList }: ObjectSchema): object {
  return {
    description,
    fields: fieldList.map(({ name, description, required, default: value, merge, schema }) => {
      return { name, description, required, value, merge, type: schema.type };
    }),
  };
}

describe('the catalog of types', () => {
  it('has every kind and its list in every version', () => {
    for (const { group, version, kind, schema } of served) {
      for (const name of [kind.kind, `${kind.kind}List`]) {
        const type = types.ofKind({ group, version, kind: name });
        assert.deepEqual(type.kinds, [{ group, version, kind: name }]);
      }
      assert.equal(types.ofKind({ group, version, kind: kind.kind }).schema, schema);
    }
  });

  it('has the kinds that are only sent or answered', () => {
    const groupsOf = (kind: string): string[] =>
      [...types.all].flatMap(({ kinds }) => kinds.filter((each) => each.kind === kind).map(({ group }) => group));
    assert.deepEqual(groupsOf('Binding'), ['']);
    assert.deepEqual(groupsOf('DeploymentRollback'), ['extensions']);
    assert.deepEqual(groupsOf('Scale'), ['extensions', 'autoscaling']);
  });

  it('calls types what clients call them', () => {
    const names = [
      'io.k8s.api.core.v1.Pod',
      'io.k8s.api.core.v1.PodTemplateSpec',
      'io.k8s.api.core.v1.Binding',
      'io.k8s.api.extensions.v1beta1.Deployment',
      'io.k8s.api.extensions.v1beta1.DeploymentSpec',
      'io.k8s.api.extensions.v1beta1.Scale',
      'io.k8s.api.autoscaling.v1.Scale',
      'io.k8s.api.autoscaling.v1.ScaleSpec',
      'io.k8s.api.apps.v1.Deployment',
      'io.k8s.api.apps.v1.DeploymentStrategy',
      'io.k8s.api.batch.v1.JobSpec',
      'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec',
      'io.k8s.api.rbac.v1.PolicyRule',
      'io.k8s.api.authentication.v1.UserInfo',
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
      'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
      'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
    ];
    assert.deepEqual(names.filter((name) => !byName.has(name)), []); // prettier-ignore
  });

  it('puts no type into a version that its group does not have', () => {
    const homes = [...types.all].flatMap(({ kinds }) => kinds);
    const groupVersions = new Set(homes.map(({ group, version }) => `${group.split('.')[0] || 'core'}.${version}`));
    for (const name of byName.keys()) {
      const [, home] = /^io\.k8s\.api\.(.+)\.\w+$/.exec(name) ?? [];
      assert.ok(home === undefined || groupVersions.has(home), name);
    }
  });

  it('takes for one type only what looks the same', () => {
    for (const { group, schema } of served) {
      for (const part of typesWithin(schema)) {
        const type = types.of(part, group);
        assert.deepEqual(shapeOf(part), shapeOf(type.schema), `${type.name} in ${schema.name} of ${group || 'core'}`);
      }
    }
  });
});
