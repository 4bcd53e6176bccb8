import type { Format } from './schema.ts';

const dnsLabelShape = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomainShape = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedNameShape = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** A rule made of a length and a shape. */
function shaped(name: string, longest: number, shape: RegExp, words: string): Format {
  return {
    name,
    check(value) {
      if (value.length > longest) return `must have at most ${longest} characters`;
      return shape.test(value) ? undefined : words;
    },
  };
}

/** `my-name`: RFC 1123. */
export const dnsLabel = shaped(
  'dns-label',
  63,
  dnsLabelShape,
  'use lower case letters, digits and "-", and begin and end with a letter or digit',
);

/** `my.name`: labels joined by dots. */
export const dnsSubdomain = shaped(
  'dns-subdomain',
  253,
  dnsSubdomainShape,
  'use lower case letters, digits, "-" and ".", and begin and end each part with a letter or digit',
);

/** `my-service`: RFC 1035 with the reference's old bound of 24. */
export const serviceName = shaped(
  'service-name',
  24,
  /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/,
  'use lower case letters, digits and "-", begin with a letter and end with a letter or digit',
);

/** A label or annotation key: `name` or `prefix/name`. */
export const qualifiedName: Format = {
  name: 'qualified-name',
  check(value) {
    const slash = value.lastIndexOf('/');
    const prefix = slash < 0 ? undefined : value.slice(0, slash);
    const name = value.slice(slash + 1);
    if (prefix !== undefined) {
      const wrong = prefix === '' ? 'the prefix before "/" is empty' : dnsSubdomain.check(prefix);
      if (wrong) return `prefix: ${wrong}`;
    }
    if (name.length > 63) return 'the name part must have at most 63 characters';
    if (qualifiedNameShape.test(name)) return undefined;
    return 'use letters, digits, "-", "_" and ".", and begin and end the name part with a letter or digit';
  },
};

/** Empty, or like the name part of a label key. */
export const labelValue: Format = {
  name: 'label-value',
  check(value) {
    if (value.length > 63) return 'must have at most 63 characters';
    if (value === '' || qualifiedNameShape.test(value)) return undefined;
    return 'use letters, digits, "-", "_" and ".", and begin and end with a letter or digit';
  },
};

/** A name that can stand as one segment of a path. */
export const pathSegment: Format = {
  name: 'path-segment',
  check(value) {
    if (value === '.' || value === '..') return `must not be "${value}"`;
    return /[/%]/.test(value) ? 'must not contain "/" or "%"' : undefined;
  },
};
