/** Bytes that cannot be read as the message they should be. The text says what is wrong, for the one who sent them. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}
