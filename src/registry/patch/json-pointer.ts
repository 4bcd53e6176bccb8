/** The tokens of a JSON pointer (RFC 6901), or nothing for what is no pointer. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer.slice(1).split('/').map(unescape);
}

export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The position a token names in a list; nothing when it is no position. */
export function listIndex(token: string): number | undefined {
  return /^(?:0|[1-9]\d{0,8})$/.test(token) ? Number(token) : undefined;
}
