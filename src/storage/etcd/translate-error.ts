import { tooLarge, unavailable } from '../errors.ts';
import { GrpcError, grpcCodes } from './grpc-error.ts';

/** What a failed call means to users of the storage: the one place where a `GrpcError` becomes something else. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof GrpcError)) return error;
  // All else about a request is as it should be.
  if (error.code === grpcCodes.invalidArgument) return tooLarge(`etcd refuses the request: ${error.message}`, error);
  if (!error.mayBeDone) return unavailable(error.message, error);
  return unavailable(`etcd failed to answer, and may have done what it was asked: ${error.message}`, error);
}
