import { kinds } from '../../../kinds/index.ts';
import { buildDiscovery } from '../../discovery.ts';
import { buildRoutes } from '../../routes.ts';
import { describeApi, type ApiDescription, type ApiParts } from '../api-description.ts';

/** The API with every kind there is. */
export function allParts(): ApiParts {
  return { kinds, routes: buildRoutes(kinds), discovery: buildDiscovery({ kinds }), release: '0.0.0' };
}

export function describedApi(): ApiDescription {
  return describeApi(allParts());
}

/** Every value in a document that stands under this name, however deep, with the place it was found at. */
export function valuesNamed(name: string, within: unknown, place = ''): { place: string; value: unknown }[] {
  if (typeof within !== 'object' || within === null) return [];
  return Object.entries(within).flatMap(([key, value]) => {
    const here = `${place}/${key}`;
    return [...(key === name ? [{ place: here, value: value as unknown }] : []), ...valuesNamed(name, value, here)];
  });
}
