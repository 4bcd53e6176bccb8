import type { FieldErrors } from '../../schema/field-errors.ts';
import { dnsLabel } from '../../schema/formats.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';
import { isIpAddress } from './ip-address.ts';

/** Names that pods want to have in the cluster's DNS, under a service, by address: on its endpoints. */
export const hostNamesAnnotation = 'endpoints.beta.kubernetes.io/hostnames-map';

/** Whoever serves DNS reads the annotation, so that what stands there must be names and addresses. */
export function validateHostNames({ annotations }: ObjectMeta, errors: FieldErrors): void {
  const text = annotations?.[hostNamesAnnotation];
  if (text === undefined || areHostNames(text)) return;
  const path = Path.of('metadata', 'annotations').key(hostNamesAnnotation);
  errors.invalid(path, text, 'must be JSON such as {"10.0.0.1":{"HostName":"web"}}');
}

function areHostNames(text: string): boolean {
  let records: unknown;
  try {
    records = JSON.parse(text);
  } catch {
    return false;
  }
  if (records === null) return true;
  if (typeof records !== 'object' || Array.isArray(records)) return false;
  return Object.entries(records).every(([ip, record]) => isIpAddress(ip) && namesHost(record));
}

/** The field's name may be written in any case, as the reference reads it. */
function namesHost(record: unknown): boolean {
  if (typeof record !== 'object' || record === null) return false;
  const [, name] = Object.entries(record).find(([field]) => field.toLowerCase() === 'hostname') ?? [];
  return typeof name === 'string' && dnsLabel.check(name) === undefined;
}
