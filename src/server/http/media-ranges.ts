/** One of the types that an Accept header lists. */
export interface MediaRange {
  /** In small letters, without parameters. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * What an Accept header lists, what is liked best first and what is ruled out left away; what is named comes before `*` where it is liked as
 * much. An absent or empty header takes anything.
 */
export function parseAccept(accept: string | undefined): readonly MediaRange[] {
  if (!accept?.trim()) return [{ type: '*/*', parameters: new Map() }];
  return accept
    .split(',')
    .map(readRange)
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality || stars(one) - stars(other));
}

function stars({ type }: MediaRange): number {
  return type.split('*').length - 1;
}

function readRange(text: string): MediaRange & { readonly quality: number } {
  const [type = '', ...rest] = text.split(';');
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const [name = '', value = ''] = parameter.split('=');
    parameters.set(name.trim().toLowerCase(), value.trim());
  }
  return { type: type.trim().toLowerCase(), parameters, quality: readQuality(parameters.get('q') ?? '') };
}

function readQuality(text: string): number {
  const quality = Number(text);
  return text !== '' && quality >= 0 && quality <= 1 ? quality : 1;
}
