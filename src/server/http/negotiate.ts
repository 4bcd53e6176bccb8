import { notAcceptable } from '../../kinds/meta/api-error.ts';
import { parseAccept, type MediaRange } from './media-ranges.ts';
import { shapeGroup, shapeVersions, type AnswerShape, type ShapeName } from '../table/shape.ts';

/** In which form a client wants its answer. */
export interface AnswerFormat {
  readonly media: 'json' | 'yaml';
  readonly pretty: boolean;
  /** Objects are to be turned into this; they are sent whole when absent. */
  readonly shape?: AnswerShape;
}

export const plainJson: AnswerFormat = { media: 'json', pretty: false };

/**
 * The form of the answer: what the client likes best, the first listed among equals. `shapes` are those that the answer can be turned into. Partial
 * wildcards (`application/*`) are not known, as in the reference. Throws 406 when nothing listed can be given.
 */
export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  shapes: readonly ShapeName[] = [],
): AnswerFormat {
  const pretty = isTrue(query.get('pretty'));
  if (!accept?.trim() || accept === 'application/json' || accept === '*/*') return { media: 'json', pretty };
  const best = bestOf(accept, shapes);
  if (best) return { ...best, pretty };
  throw notAcceptable('answers can be given as application/json or application/yaml; the Accept header allows neither');
}

/** The shape of what is sent as a stream, which is JSON. Throws 406 when the client does not take that. */
export function negotiateStream(accept: string | undefined, shapes: readonly ShapeName[]): AnswerShape | undefined {
  if (!accept?.trim()) return undefined;
  const best = bestOf(accept, shapes, ['json']);
  if (best) return best.shape;
  throw notAcceptable('watches are streams of application/json, which the Accept header does not allow');
}

const everyMedia: readonly AnswerFormat['media'][] = ['json', 'yaml'];

function bestOf(
  accept: string,
  shapes: readonly ShapeName[],
  media = everyMedia,
): Omit<AnswerFormat, 'pretty'> | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    const isShaped = parameters.has('as');
    const shape = isShaped ? shapeOf(parameters, shapes) : undefined;
    if (isShaped && !shape) continue;
    if (type === 'application/json') return { media: 'json', shape };
    if (isShaped) continue;
    if (type === '*/*') return { media: 'json' };
    if (type === 'application/yaml' && media.includes('yaml')) return { media: 'yaml' };
  }
  return undefined;
}

/** Clients name what they would like first and what they can live with after that, so a shape that is not known is no mistake. */
function shapeOf(parameters: MediaRange['parameters'], shapes: readonly ShapeName[]): AnswerShape | undefined {
  const name = shapes.find((candidate) => candidate === parameters.get('as'));
  const version = parameters.get('v');
  const known =
    parameters.get('g') === shapeGroup ? shapeVersions.find((candidate) => candidate === version) : undefined;
  return name && known && { as: name, version: known };
}

const trueWords = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

function isTrue(value: string | null): boolean {
  return value !== null && trueWords.has(value);
}
