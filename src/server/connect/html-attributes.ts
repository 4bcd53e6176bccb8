/** Where in HTML links stand: attributes by element, all in lower case. */
export const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  image: ['href'],
  img: ['longdesc', 'src'],
  input: ['formaction', 'src'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  track: ['src'],
  video: ['poster', 'src'],
};

/** An attribute's value within the text of a tag, without its quotes. */
export interface AttributeValue {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface StartTag {
  /** In lower case. */
  readonly name: string;
  readonly values: readonly AttributeValue[];
  /** Index behind the closing `>`. */
  readonly end: number;
}

const tagName = /<([a-z][^\s/>]*)/iy;
const attributeName = /[\s/]*([^\s/>][^\s/>=]*)?/y;
const attributeValue = /\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)|(?=[>"']))/dy;

/** Reads the start tag at `at`, by the rules that browsers have for untidy HTML; undefined when its end is not there. */
export function readStartTag(text: string, at: number): StartTag | undefined {
  tagName.lastIndex = at;
  const name = tagName.exec(text)?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  const values: AttributeValue[] = [];
  let next = tagName.lastIndex;
  while (next < text.length) {
    attributeName.lastIndex = next;
    const attribute = attributeName.exec(text)?.[1];
    next = attributeName.lastIndex;
    if (attribute === undefined) return text[next] === '>' ? { name, values, end: next + 1 } : undefined;
    attributeValue.lastIndex = next;
    const match = attributeValue.exec(text);
    if (!match) continue;
    const span = match.indices?.[1] ?? match.indices?.[2] ?? match.indices?.[3];
    if (span) values.push({ name: attribute.toLowerCase(), start: span[0], end: span[1] });
    else if (text[attributeValue.lastIndex] !== '>') return undefined;
    next = attributeValue.lastIndex;
  }
  return undefined;
}
