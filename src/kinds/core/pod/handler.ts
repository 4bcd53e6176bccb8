import { intOrString, list, object, one, string, strings, type FieldsOf } from '../../../schema/builders.ts';
import type { FieldErrors } from '../../../schema/field-errors.ts';
import { portName } from '../../../schema/formats.ts';
import type { Path } from '../../../schema/path.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';
import { validateExactlyOne } from '../exactly-one.ts';

const execActionFields = {
  command: strings('Program and arguments; no shell is involved.').mandatory(),
};
export interface ExecAction extends FieldsOf<typeof execActionFields> {}
const execAction: ObjectSchema<ExecAction> = object(
  'v1.ExecAction',
  'Runs a program in the container.',
  execActionFields,
);

const httpHeaderFields = {
  name: string('Name of the header.').mandatory().always(''),
  value: string('Its value.').mandatory().always(''),
};
export interface HTTPHeader extends FieldsOf<typeof httpHeaderFields> {}
const httpHeader: ObjectSchema<HTTPHeader> = object('v1.HTTPHeader', 'A header of a request.', httpHeaderFields);

const httpGetActionFields = {
  path: string('Path to ask for.').defaultsTo('/'),
  port: intOrString('Port of the container, by number or name.').mandatory().always(0),
  host: string('Host to ask; the address of the pod unless given.'),
  scheme: string('How to ask: HTTP or HTTPS.').defaultsTo('HTTP'),
  httpHeaders: list(httpHeader, 'Headers to send along.'),
};
export interface HTTPGetAction extends FieldsOf<typeof httpGetActionFields> {}
const httpGetAction: ObjectSchema<HTTPGetAction> = object(
  'v1.HTTPGetAction',
  'Makes a GET request; any answer from 200 to 399 is a success.',
  httpGetActionFields,
  { validate: validateHttpGet },
);

function validateHttpGet({ port, scheme, httpHeaders = [] }: HTTPGetAction, path: Path, errors: FieldErrors): void {
  validatePort(port, path.at('port'), errors);
  // As in the reference, another one is invalid rather than not supported.
  if (scheme !== 'HTTP' && scheme !== 'HTTPS') errors.invalid(path.at('scheme'), scheme, 'must be HTTP or HTTPS');
  for (const { name } of httpHeaders) {
    if (!/^[-A-Za-z0-9]+$/.test(name)) errors.invalid(path.at('httpHeaders'), name, 'use letters, digits and "-"');
  }
}

/** A port by number or by name. */
function validatePort(port: number | string, path: Path, errors: FieldErrors): void {
  if (typeof port === 'string') {
    const wrong = portName.check(port);
    if (wrong) errors.invalid(path, port, wrong);
  } else if (port < 1 || port > 65535) {
    errors.invalid(path, port, 'must be between 1 and 65535');
  }
}

const tcpSocketActionFields = {
  port: intOrString('Port of the container, by number or name.').mandatory().always(0),
};
export interface TCPSocketAction extends FieldsOf<typeof tcpSocketActionFields> {}
const tcpSocketAction: ObjectSchema<TCPSocketAction> = object(
  'v1.TCPSocketAction',
  'Opens a connection.',
  tcpSocketActionFields,
  { validate: ({ port }, path, errors) => validatePort(port, path.at('port'), errors) },
);

/** The actions of which a handler or probe has exactly one. */
export const handlerFields = {
  exec: one(execAction, 'Run a program in the container.'),
  httpGet: one(httpGetAction, 'Make a GET request.'),
  tcpSocket: one(tcpSocketAction, 'Open a connection.'),
};
export interface Handler extends FieldsOf<typeof handlerFields> {}
export const handler: ObjectSchema<Handler> = object('v1.Handler', 'An action of one of three sorts.', handlerFields, {
  validate: validateHandler,
});

/** A handler has exactly one action. */
export function validateHandler(handler: Handler, path: Path, errors: FieldErrors): void {
  validateExactlyOne(handler, ['exec', 'httpGet', 'tcpSocket'], path, errors);
}

const lifecycleFields = {
  postStart: one(handler, 'Done right after the container was started; failure ends the container.'),
  preStop: one(handler, 'Done before the container is stopped.'),
};
export interface Lifecycle extends FieldsOf<typeof lifecycleFields> {}
export const lifecycle: ObjectSchema<Lifecycle> = object(
  'v1.Lifecycle',
  'What is done when a container starts and stops.',
  lifecycleFields,
);
