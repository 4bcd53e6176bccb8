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

/** The name of a port, as services and probes refer to it: at most 15 characters, one of them a letter. */
export const portName: Format = {
  name: 'port-name',
  check(value) {
    if (value.length > 15) return 'must have at most 15 characters';
    if (dnsLabelShape.test(value) && !value.includes('--') && /[a-z]/.test(value)) return undefined;
    return 'use lower case letters, digits and single "-" between them, with at least one letter';
  },
};

/** The key of a value in a secret or config map: `my.file` or `.my-file`. */
export const dataKey: Format = {
  name: 'data-key',
  check(value) {
    if (value.length > 253) return 'must have at most 253 characters';
    if (dnsSubdomainShape.test(value.startsWith('.') ? value.slice(1) : value)) return undefined;
    return 'use lower case letters, digits, "-" and ".", and begin and end with a letter or digit; a "." may stand before';
  },
};

/** A name that programs take for a variable. */
export const cIdentifier = shaped(
  'c-identifier',
  Infinity,
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'use letters, digits and "_", and do not begin with a digit',
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
