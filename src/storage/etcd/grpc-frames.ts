import { GrpcError, grpcCodes } from './grpc-error.ts';

/** More than any answer that is asked for: lists are read in parts. */
const longestMessage = 1024 ** 3;
const headerLength = 5;

/** A message as it travels: behind a byte that says it is not compressed, and its length. */
export function frame(message: Buffer): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Puts messages together out of the pieces in which they arrive. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #length = 0;
  #wanted = headerLength;

  /** Takes a piece and gives the messages that are complete with it. */
  push(piece: Buffer): Buffer[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < this.#wanted) return [];
    let rest = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    const messages: Buffer[] = [];
    for (;;) {
      this.#wanted = headerLength + (rest.length < headerLength ? 0 : messageLength(rest));
      if (rest.length < this.#wanted || rest.length < headerLength) break;
      messages.push(rest.subarray(headerLength, this.#wanted));
      rest = rest.subarray(this.#wanted);
    }
    this.#pieces = [rest];
    this.#length = rest.length;
    return messages;
  }
}

function messageLength(header: Buffer): number {
  if (header[0] !== 0) throw new GrpcError(grpcCodes.internal, 'the server compressed a message, unasked');
  const length = header.readUInt32BE(1);
  if (length > longestMessage) throw new GrpcError(grpcCodes.internal, `the server sends a message of ${length} bytes`);
  return length;
}
