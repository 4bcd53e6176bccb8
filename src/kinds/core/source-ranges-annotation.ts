import type { FieldErrors } from '../../schema/field-errors.ts';
import { Path } from '../../schema/path.ts';
import type { ObjectMeta } from '../meta/object-meta.ts';
import { isIpBlock } from './ip-address.ts';

/** From which addresses the load balancer of a service takes traffic; from all of them where nothing is said. */
const sourceRangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** Wrong on any service, balanced or not: its type can change. */
export function validateSourceRanges({ annotations }: ObjectMeta, errors: FieldErrors): void {
  const text = annotations?.[sourceRangesAnnotation]?.trim();
  if (!text || text.split(',').every((block) => isIpBlock(block.trim()))) return;
  const path = Path.of('metadata', 'annotations').key(sourceRangesAnnotation);
  errors.invalid(path, text, 'must be blocks of addresses with commas between them, such as 10.0.0.0/8,192.168.0.0/16');
}
