/** Frames of SPDY/3.1: what is sent over the connection, before header blocks are unpacked. */
export type Frame =
  | { readonly type: 'data'; readonly stream: number; readonly fin: boolean; readonly data: Buffer }
  | { readonly type: 'open'; readonly stream: number; readonly fin: boolean; readonly headers: Buffer }
  | { readonly type: 'reply'; readonly stream: number; readonly fin: boolean; readonly headers: Buffer }
  | { readonly type: 'headers'; readonly stream: number; readonly fin: boolean; readonly headers: Buffer }
  | { readonly type: 'reset'; readonly stream: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goaway' }
  /** Settings and window updates: the peers of this protocol's use here keep no windows. */
  | { readonly type: 'other' };

const version = 3;
const types = { open: 1, reply: 2, reset: 3, ping: 6, goaway: 7, headers: 8 };
const finFlag = 1;
const headLength = 8;
const streamMask = 0x7fffffff;

/** The connection does not speak the protocol. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

/** Cuts what arrives into frames. No more than one unfinished frame is held. */
export class FrameReader {
  readonly #maxLength: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(maxLength = 1024 * 1024) {
    this.#maxLength = maxLength;
  }

  *read(chunk: Buffer): Iterable<Frame> {
    let buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (buffer.length >= headLength) {
      const length = buffer.readUIntBE(5, 3);
      if (length > this.#maxLength) throw new FrameError(`a frame of ${length} bytes is too long`);
      const end = headLength + length;
      if (buffer.length < end) break;
      yield parse(buffer.subarray(0, headLength), buffer.subarray(headLength, end));
      buffer = buffer.subarray(end);
    }
    this.#rest = Buffer.from(buffer);
  }
}

function parse(head: Buffer, body: Buffer): Frame {
  const fin = (head[4]! & finFlag) !== 0;
  const isControl = (head[0]! & 0x80) !== 0;
  if (!isControl) return { type: 'data', stream: head.readUInt32BE(0) & streamMask, fin, data: body };
  const spoken = head.readUInt16BE(0) & 0x7fff;
  if (spoken !== version) throw new FrameError(`version ${spoken} of SPDY is not spoken here`);
  const type = head.readUInt16BE(2);
  const need = (bytes: number): void => {
    if (body.length < bytes) throw new FrameError(`a frame of type ${type} is cut short`);
  };
  const stream = (): number => body.readUInt32BE(0) & streamMask;
  switch (type) {
    case types.open:
      need(10);
      return { type: 'open', stream: stream(), fin, headers: body.subarray(10) };
    case types.reply:
      need(4);
      return { type: 'reply', stream: stream(), fin, headers: body.subarray(4) };
    case types.headers:
      need(4);
      return { type: 'headers', stream: stream(), fin, headers: body.subarray(4) };
    case types.reset:
      need(8);
      return { type: 'reset', stream: stream(), status: body.readUInt32BE(4) };
    case types.ping:
      need(4);
      return { type: 'ping', id: body.readUInt32BE(0) };
    case types.goaway:
      return { type: 'goaway' };
    default:
      return { type: 'other' };
  }
}

/** The head of a data frame; the data follows as it is. */
export function dataHead(stream: number, length: number, fin: boolean): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt32BE(stream, 0);
  head[4] = fin ? finFlag : 0;
  head.writeUIntBE(length, 5, 3);
  return head;
}

export function openFrame(stream: number, headers: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt32BE(stream, 0);
  return control(types.open, Buffer.concat([fixed, headers]));
}

export function replyFrame(stream: number, headers: Buffer): Buffer {
  return control(types.reply, Buffer.concat([uint32(stream), headers]));
}

export function resetFrame(stream: number, status: number): Buffer {
  return control(types.reset, Buffer.concat([uint32(stream), uint32(status)]));
}

export function pingFrame(id: number): Buffer {
  return control(types.ping, uint32(id));
}

export function goawayFrame(lastStream: number): Buffer {
  return control(types.goaway, Buffer.concat([uint32(lastStream), uint32(0)]));
}

function control(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
