export type TokenType = 'word' | '=' | '==' | '!=' | '!' | '>' | '<' | ',' | '(' | ')' | 'end';

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Counted from 1. */
  readonly position: number;
}

const tokenShape = /\s*(?:(?<word>[^\s=!<>,()]+)|(?<symbol>==|!=|[=!<>,()]))/y;

/** Splits a label selector into words and symbols. Every text can be split; the last token is `end`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const shape = new RegExp(tokenShape);
  for (let match = shape.exec(text); match; match = shape.exec(text)) {
    const { word, symbol } = match.groups ?? {};
    const found = word ?? symbol ?? '';
    const position = shape.lastIndex - found.length + 1;
    tokens.push({ type: word === undefined ? (symbol as TokenType) : 'word', text: found, position });
  }
  tokens.push({ type: 'end', text: '', position: text.length + 1 });
  return tokens;
}
