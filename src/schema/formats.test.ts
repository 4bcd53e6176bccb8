import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsLabel, dnsSubdomain, labelValue, pathSegment, qualifiedName, serviceName } from './formats.ts';
import type { Format } from './schema.ts';

function assertFormat(format: Format, right: readonly string[], wrong: readonly string[]): void {
  for (const text of right) assert.equal(format.check(text), undefined, `${format.name}: ${text}`);
  for (const text of wrong) assert.ok(format.check(text), `${format.name}: ${JSON.stringify(text)}`);
}

test('a DNS label has at most 63 lower case letters, digits and inner dashes', () => {
  const wrong = ['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a\n', 'a'.repeat(64)];
  assertFormat(dnsLabel, ['a', '1', 'a-1', 'a--b', 'a'.repeat(63)], wrong);
});

test('a DNS subdomain is labels joined by dots, at most 253 characters', () => {
  const wrong = ['', '.a', 'a.', 'a..b', 'A.b', 'a.-b', 'a'.repeat(254)];
  assertFormat(dnsSubdomain, ['a', 'a.b', '1.2.3', 'a'.repeat(253)], wrong);
});

test('the name of a service begins with a letter and has at most 24 characters', () => {
  assertFormat(serviceName, ['a', 'a-1', 'a'.repeat(24)], ['', '1a', 'a.b', 'a-', 'a'.repeat(25)]);
});

test('a qualified name has an optional prefix that is a DNS subdomain', () => {
  const right = ['a', 'A.b_c-D', 'example.com/Name', '1', 'a'.repeat(63)];
  assertFormat(qualifiedName, right, ['', '/a', 'a/', 'a/b/c', 'A.com/x', '-a', 'a-', '__proto__', 'a'.repeat(64)]);
});

test('a label value may be empty', () => {
  assertFormat(labelValue, ['', 'a', 'A_1.b-c'], ['-a', 'a/b', 'a b', 'a'.repeat(64)]);
});

test('a path segment is neither a dot segment nor has slashes and percent signs', () => {
  assertFormat(pathSegment, ['a', 'A b', '...', 'ü'], ['.', '..', 'a/b', 'a%b']);
});
