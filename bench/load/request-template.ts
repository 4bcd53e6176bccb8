/** What stands for a number in a request. A token is as long as the number that takes its place, so that lengths stay the same. */
export const tokens = { object: '<object>', decade: '<decade>', serial: '<serial>' } as const;

type Token = keyof typeof tokens;
const tokenNames = Object.keys(tokens) as Token[];

const digits = tokens.object.length;

interface Place {
  readonly at: number;
  readonly token: Token;
}

export interface RequestTemplate {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string;
  /** Numbers of objects go round below this. */
  readonly objects: number;
}

/** Requests as the bytes that go over the wire, each with numbers of its own. */
export class RequestMaker {
  readonly #template: Buffer;
  readonly #objects: number;
  readonly #places: readonly Place[];
  #serial = 0;

  constructor({ method, path, body = '', objects }: RequestTemplate) {
    const head = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept: application/json'];
    if (body) head.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
    this.#template = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
    this.#objects = objects;
    this.#places = tokenNames.flatMap((token) => placesOf(token, this.#template));
  }

  next(): Buffer {
    const serial = this.#serial++;
    const object = serial % this.#objects;
    const numbers = { object, decade: Math.floor(object / 10), serial };
    const request = Buffer.from(this.#template);
    for (const { at, token } of this.#places) request.write(padded(numbers[token]), at, 'latin1');
    return request;
  }
}

/** A number as it stands in the place of a token. */
export function padded(number: number): string {
  return String(number).padStart(digits, '0');
}

function placesOf(token: Token, bytes: Buffer): Place[] {
  const text = tokens[token];
  const places: Place[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push({ at, token });
  return places;
}
