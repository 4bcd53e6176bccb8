import type { FieldError } from '../../schema/field-errors.ts';
import type { Status, StatusCause, StatusDetails } from './status.ts';

/** A refusal that is ready to be sent. Made by the functions below, nowhere else. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
  }
}

/** What a refusal is about: `resource` is the path segment, such as `pods`. */
export interface Subject {
  readonly group?: string;
  readonly resource: string;
  readonly name?: string;
}

function detailsOf(subject: Subject): StatusDetails {
  return { name: subject.name || undefined, group: subject.group || undefined, kind: subject.resource };
}

function words(subject: Subject): string {
  const resource = subject.group ? `${subject.resource}.${subject.group}` : subject.resource;
  return subject.name ? `${resource} "${subject.name}"` : resource;
}

export function badRequest(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(400, 'BadRequest', message, undefined, options);
}

export function unauthorized(message: string): ApiError {
  return new ApiError(401, 'Unauthorized', message);
}

export function forbidden(subject: Subject, why: string, causes?: StatusCause[]): ApiError {
  const details = causes ? { ...detailsOf(subject), causes } : detailsOf(subject);
  return new ApiError(403, 'Forbidden', `${words(subject)} is forbidden: ${why}`, details);
}

const namespaceTerminating = 'NamespaceTerminating';

/** 403 for something new in a namespace that is on its way out; later versions of the API give the same cause. */
export function namespaceEnds(subject: Subject, namespace: string): ApiError {
  const message = `namespace "${namespace}" is being deleted, so nothing new can be put there`;
  return forbidden(subject, message, [{ reason: namespaceTerminating, message, field: 'metadata.namespace' }]);
}

/** Whether an error says so: trying again is of no use. */
export function isNamespaceEnding(error: unknown): boolean {
  if (!isApiError(error, 403)) return false;
  return error.status.details?.causes?.some(({ reason }) => reason === namespaceTerminating) ?? false;
}

/** As above for a path that is no object. */
export function pathForbidden(path: string, why: string): ApiError {
  return new ApiError(403, 'Forbidden', `${path} is forbidden: ${why}`);
}

export function notFound(subject: Subject): ApiError {
  return new ApiError(404, 'NotFound', `${words(subject)} not found`, detailsOf(subject));
}

/** For paths that lead nowhere, where there is no object to name. */
export function pathNotFound(path: string): ApiError {
  return new ApiError(404, 'NotFound', `the server has nothing at ${path}`);
}

export function methodNotAllowed(method: string, subject: Subject): ApiError {
  return new ApiError(405, 'MethodNotAllowed', `${method} is not possible on ${words(subject)}`, detailsOf(subject));
}

export function notAcceptable(message: string): ApiError {
  return new ApiError(406, 'NotAcceptable', message);
}

export function alreadyExists(subject: Subject): ApiError {
  return new ApiError(409, 'AlreadyExists', `${words(subject)} already exists`, detailsOf(subject));
}

export function conflict(subject: Subject, why: string): ApiError {
  return new ApiError(409, 'Conflict', `${words(subject)} was not changed: ${why}`, detailsOf(subject));
}

/** The revision asked for is no longer held; the client must list again. */
export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function tooLarge(message: string): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

export function unsupportedMediaType(message: string): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', message);
}

/** The object is wrong; every mistake is named. `kind` is the Kind, such as `Pod`. */
export function invalid(
  subject: { group?: string; kind: string; name?: string },
  errors: readonly FieldError[],
): ApiError {
  const mistakes = errors.map((error) => `${error.field}: ${error.message}`).join('; ');
  const causes = errors.map(({ reason, message, field }) => ({ reason, message, field }));
  const details = { name: subject.name || undefined, group: subject.group || undefined, kind: subject.kind, causes };
  return new ApiError(
    422,
    'Invalid',
    `${words({ ...subject, resource: subject.kind })} is invalid: ${mistakes}`,
    details,
  );
}

export function tooManyRequests(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds });
}

export function internalError(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(500, 'InternalError', message, undefined, options);
}

export function serviceUnavailable(message: string, retryAfterSeconds?: number): ApiError {
  return new ApiError(
    503,
    'ServiceUnavailable',
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

/** The server cannot be reached, or went away before it answered: nobody knows what it would have said. */
export function unreachable(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message, undefined, options);
}

/** There was no answer in time. */
export function timedOut(message: string): ApiError {
  return new ApiError(504, 'Timeout', message);
}

/** The refusal that a server sent as a Status. */
export function fromStatus({ code = 500, reason = '', message = '', details }: Status): ApiError {
  return new ApiError(code, reason, message, details);
}

/** Whether an error is the refusal with this code: 404, 409, 410 and so on. */
export function isApiError(error: unknown, code: number): error is ApiError {
  return error instanceof ApiError && error.code === code;
}
