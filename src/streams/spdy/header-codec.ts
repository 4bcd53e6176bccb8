import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { FrameError } from './frame.ts';
import { headerDictionary } from './dictionary.ts';

export type Headers = Readonly<Record<string, string>>;

const longestBlock = 64 * 1024;

/** Packs and unpacks header blocks. Each direction of a connection is one compressed stream, so blocks must come in order. */
export class HeaderCodec {
  readonly #inflate: Inflate;
  readonly #deflate: Deflate;

  constructor() {
    const dictionary = headerDictionary();
    this.#inflate = createInflate({ dictionary, finishFlush: constants.Z_SYNC_FLUSH });
    this.#deflate = createDeflate({ dictionary, flush: constants.Z_SYNC_FLUSH });
  }

  async unpack(block: Buffer): Promise<Headers> {
    return parseHeaders(await pass(this.#inflate, block));
  }

  pack(headers: Headers): Promise<Buffer> {
    return pass(this.#deflate, formatHeaders(headers));
  }

  close(): void {
    this.#inflate.close();
    this.#deflate.close();
  }
}

/** What comes out for one block that goes in; both ends flush at the end of each. */
function pass(codec: Inflate | Deflate, block: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const collect = (part: Buffer): void => {
      length += part.length;
      if (length > longestBlock) finish(new FrameError('a header block is too long'));
      else parts.push(part);
    };
    const finish = (error?: Error | null): void => {
      codec.off('data', collect);
      codec.off('error', finish);
      if (error) reject(error);
      else resolve(Buffer.concat(parts));
    };
    codec.on('data', collect);
    codec.on('error', finish);
    codec.write(block, (error) => finish(error));
  });
}

function parseHeaders(block: Buffer): Headers {
  const headers: Record<string, string> = {};
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new FrameError('a header block is cut short');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new FrameError('a header block is cut short');
    at += length;
    return block.toString('utf8', at - length, at);
  };
  for (let left = number(); left > 0; left--) {
    const name = text().toLowerCase();
    // Several values of one name come with zero bytes between them; the first is the one that counts here.
    const [value = ''] = text().split('\0');
    Object.defineProperty(headers, name, { value, enumerable: true, configurable: true });
  }
  return headers;
}

function formatHeaders(headers: Headers): Buffer {
  const entries = Object.entries(headers);
  const parts: Buffer[] = [uint32(entries.length)];
  for (const text of entries.flat()) {
    const bytes = Buffer.from(text);
    parts.push(uint32(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
