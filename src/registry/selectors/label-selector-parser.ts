import { badRequest, type ApiError } from '../../kinds/meta/api-error.ts';
import { labelValue, qualifiedName } from '../../schema/formats.ts';
import { isNumber, type LabelOperator, type LabelRequirement } from './label-requirement.ts';
import { tokenize, type Token, type TokenType } from './label-selector-tokens.ts';

/** The requirements of a label selector, by key. */
export function parseRequirements(text: string): LabelRequirement[] {
  return new Parser(text).requirements();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  requirements(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().type === 'end') return requirements;
    requirements.push(this.#requirement());
    while (this.#accept(',')) requirements.push(this.#requirement());
    this.#expect('end', '"," or the end');
    return requirements.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  }

  #requirement(): LabelRequirement {
    if (this.#accept('!')) return { key: this.#key(), operator: 'notExists', values: [] };
    const key = this.#key();
    const token = this.#peek();
    switch (token.type) {
      case ',':
      case 'end':
        return { key, operator: 'exists', values: [] };
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#valueAfterOperator()] };
      case '!=':
        return { key, operator: 'notIn', values: [this.#valueAfterOperator()] };
      case '>':
      case '<':
        return { key, operator: token.type === '>' ? 'greater' : 'less', values: [this.#numberAfterOperator()] };
      default:
        return { key, operator: this.#setOperator(), values: this.#values() };
    }
  }

  #key(): string {
    const token = this.#expect('word', 'a label key');
    const wrong = qualifiedName.check(token.text);
    if (wrong) throw this.#wrong(token, `"${token.text}" is no label key: ${wrong}`);
    return token.text;
  }

  #setOperator(): LabelOperator {
    const token = this.#peek();
    if (token.text !== 'in' && token.text !== 'notin') throw this.#unexpected(token, 'an operator, "," or the end');
    this.#next++;
    return token.text === 'in' ? 'in' : 'notIn';
  }

  #valueAfterOperator(): string {
    this.#next++;
    return this.#value();
  }

  #numberAfterOperator(): string {
    this.#next++;
    const token = this.#expect('word', 'a number');
    if (!isNumber(token.text)) throw this.#wrong(token, `"${token.text}" is no number, but > and < compare numbers`);
    return this.#checked(token);
  }

  /** `(x,y)`; nothing between parentheses or commas is the empty value. */
  #values(): string[] {
    this.#expect('(', '"("');
    const values = new Set([this.#value()]);
    while (this.#accept(',')) values.add(this.#value());
    this.#expect(')', '"," or ")"');
    return [...values].sort();
  }

  /** A label value. Nothing stands for the empty one. */
  #value(): string {
    const token = this.#peek();
    if (token.type !== 'word') return '';
    this.#next++;
    return this.#checked(token);
  }

  #checked(token: Token): string {
    const wrong = labelValue.check(token.text);
    if (wrong) throw this.#wrong(token, `"${token.text}" is no label value: ${wrong}`);
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #accept(type: TokenType): boolean {
    if (this.#peek().type !== type) return false;
    this.#next++;
    return true;
  }

  #expect(type: TokenType, words: string): Token {
    const token = this.#peek();
    if (token.type !== type) throw this.#unexpected(token, words);
    this.#next++;
    return token;
  }

  #unexpected(token: Token, words: string): ApiError {
    return this.#wrong(token, `expected ${words}, found ${token.type === 'end' ? 'the end' : `"${token.text}"`}`);
  }

  #wrong(token: Token, message: string): ApiError {
    return badRequest(`labelSelector "${this.#text}", character ${token.position}: ${message}`);
  }
}
