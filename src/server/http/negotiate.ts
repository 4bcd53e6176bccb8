import { notAcceptable } from '../../kinds/meta/api-error.ts';

/** In which form a client wants its answer. */
export interface AnswerFormat {
  readonly media: 'json' | 'yaml';
  readonly pretty: boolean;
}

export const plainJson: AnswerFormat = { media: 'json', pretty: false };

interface Wish {
  readonly type: string;
  readonly quality: number;
  /** The answer is to be turned into something else, such as a Table. */
  readonly transformed: boolean;
}

/**
 * The form of the answer: the type that the client likes best, the first listed among equals. Partial wildcards (`application/*`) are not
 * known, as in the reference. Throws 406 when nothing listed can be given.
 */
export function negotiate(accept: string | undefined, query: URLSearchParams): AnswerFormat {
  const pretty = isTrue(query.get('pretty'));
  if (!accept?.trim() || accept === 'application/json' || accept === '*/*') return { media: 'json', pretty };
  const wishes = accept.split(',').map(readWish);
  wishes.sort((one, other) => other.quality - one.quality);
  for (const { type, quality, transformed } of wishes) {
    if (quality <= 0 || transformed) continue;
    if (type === 'application/json' || type === '*/*') return { media: 'json', pretty };
    if (type === 'application/yaml') return { media: 'yaml', pretty };
  }
  throw notAcceptable('answers can be given as application/json or application/yaml; the Accept header allows neither');
}

function readWish(text: string): Wish {
  const [type = '', ...parameters] = text.split(';');
  let quality = 1;
  let transformed = false;
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    const key = name.trim().toLowerCase();
    if (key === 'q') quality = readQuality(value.trim());
    else if (key === 'as') transformed = true;
  }
  return { type: type.trim().toLowerCase(), quality, transformed };
}

function readQuality(text: string): number {
  const quality = Number(text);
  return text !== '' && quality >= 0 && quality <= 1 ? quality : 1;
}

const trueWords = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

function isTrue(value: string | null): boolean {
  return value !== null && trueWords.has(value);
}
