import { unavailable } from '../errors.ts';
import { GrpcError, grpcCodes } from './grpc-error.ts';

/** What a failed call means to users of the storage: the one place where a `GrpcError` becomes something else. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof GrpcError)) return error;
  // Such as a value that is larger than this etcd takes: it would be refused again and again.
  if (error.code === grpcCodes.invalidArgument) {
    return new RangeError(`etcd refuses the request: ${error.message}`, { cause: error });
  }
  if (!error.mayBeDone) return unavailable(error.message, error);
  return unavailable(`etcd failed to answer, and may have done what it was asked: ${error.message}`, error);
}
