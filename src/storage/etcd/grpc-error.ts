/** The outcomes of gRPC calls that are told apart here, with their numbers. */
export const grpcCodes = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A call that did not succeed. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: number;
  /** Whether the request may have reached the server, which then may have done what it was asked. */
  readonly mayBeDone: boolean;

  constructor(code: number, message: string, options: ErrorOptions & { readonly mayBeDone?: boolean } = {}) {
    super(message, options);
    this.code = code;
    this.mayBeDone = options.mayBeDone ?? false;
  }

  /** Whether another try, perhaps at another server, may have a better end. */
  get isPassing(): boolean {
    return this.code === grpcCodes.unavailable || this.code === grpcCodes.deadlineExceeded;
  }
}
