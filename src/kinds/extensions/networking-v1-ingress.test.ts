import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../../schema/decode.ts';
import { validate } from '../../schema/validate.ts';
import { servedVersions } from '../served-version.ts';
import { ingress as kind, type Ingress } from './ingress.ts';

const served = servedVersions(kind).find(({ apiVersion }) => apiVersion === 'networking.k8s.io/v1')!;
const conversion = served.conversion!;

function stored(spec: object): Ingress {
  const decoded = decode(served.schema, { metadata: { name: 'site' }, spec });
  assert.deepEqual([decoded.unknown, decoded.mistakes], [[], []]);
  return conversion.toStored(decoded.value) as Ingress;
}

/** Where mistakes are, in the words of networking.k8s.io/v1. */
function mistakes(spec: object): string[] {
  return validate(kind.schema, stored(spec)).list.map(({ field }) => conversion.fieldFromStored(field));
}

function shown(spec: object): unknown {
  return (conversion.fromStored(decode(kind.schema, { metadata: { name: 'site' }, spec }).value) as Ingress).spec;
}

const service = (port: object): object => ({ service: { name: 'web', port } });

test('backends are services with a port by number or by name', () => {
  assert.deepEqual(stored({ defaultBackend: service({ number: 80 }) }).spec, {
    backend: { serviceName: 'web', servicePort: 80 },
  });
  const paths = [{ path: '/a', pathType: 'Prefix', backend: service({ name: 'http' }) }];
  assert.deepEqual(stored({ ingressClassName: 'own', rules: [{ host: 'a.b', http: { paths } }] }).spec, {
    ingressClassName: 'own',
    rules: [
      {
        host: 'a.b',
        http: { paths: [{ path: '/a', pathType: 'Prefix', backend: { serviceName: 'web', servicePort: 'http' } }] },
      },
    ],
  });
});

test('what was written in an older version is shown with the usual type of path', () => {
  const backend = { serviceName: 'web', servicePort: 'http' };
  assert.deepEqual(shown({ backend, rules: [{ host: 'a.b' }, { http: { paths: [{ path: '/', backend }] } }] }), {
    defaultBackend: service({ name: 'http' }),
    rules: [
      { host: 'a.b' },
      {
        http: {
          paths: [{ path: '/', pathType: 'ImplementationSpecific', backend: service({ name: 'http' }) }],
        },
      },
    ],
  });
});

test('the usual type of path is the same as none in every version', () => {
  const path = { pathType: 'ImplementationSpecific', backend: { serviceName: 'web', servicePort: 80 } };
  const { rules } = decode(kind.schema, { spec: { rules: [{ http: { paths: [path] } }] } }).value.spec;
  assert.ok(!('pathType' in rules![0]!.http!.paths[0]!));
});

test('mistakes stand at the fields of this version', () => {
  assert.deepEqual(mistakes({}), ['spec']);
  assert.deepEqual(mistakes({ defaultBackend: {} }), ['spec.defaultBackend.service.name']);
  assert.deepEqual(mistakes({ defaultBackend: service({}) }), ['spec.defaultBackend.service.port']);
  assert.deepEqual(mistakes({ defaultBackend: service({ number: 70_000 }) }), ['spec.defaultBackend.service.port']);
  const good = { path: '/a', backend: service({ number: 80 }) };
  const paths = [good, { path: '/b', pathType: 'Sideways', backend: service({ name: 'NO' }) }];
  assert.deepEqual(mistakes({ rules: [{}, { http: { paths } }] }).toSorted(), [
    'spec.rules[1].http.paths[1].backend.service.port',
    'spec.rules[1].http.paths[1].pathType',
  ]);
});

test('a port cannot have both a name and a number', () => {
  assert.deepEqual(mistakes({ defaultBackend: service({ name: 'http', number: 80 }) }), [
    'spec.defaultBackend.service.port',
  ]);
});
