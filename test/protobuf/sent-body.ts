/** A body in protobuf that a client has sent. */
export interface SentBody {
  readonly command: string;
  readonly path: string;
  readonly base64: string;
  /** What it says. */
  readonly json: object;
}
