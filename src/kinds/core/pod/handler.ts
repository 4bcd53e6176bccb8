import { intOrString, list, object, one, string, strings, type FieldsOf } from '../../../schema/builders.ts';
import type { ObjectSchema } from '../../../schema/schema.ts';

const execActionFields = {
  command: strings('Program and arguments; no shell is involved.').mandatory(),
};
export interface ExecAction extends FieldsOf<typeof execActionFields> {}
export const execAction: ObjectSchema<ExecAction> = object(
  'v1.ExecAction',
  'Runs a program in the container.',
  execActionFields,
);

const httpHeaderFields = {
  name: string('Name of the header.').mandatory().always(''),
  value: string('Its value.').mandatory().always(''),
};
export interface HTTPHeader extends FieldsOf<typeof httpHeaderFields> {}
export const httpHeader: ObjectSchema<HTTPHeader> = object('v1.HTTPHeader', 'A header of a request.', httpHeaderFields);

const httpGetActionFields = {
  path: string('Path to ask for.').defaultsTo('/'),
  port: intOrString('Port of the container, by number or name.').mandatory().always(0),
  host: string('Host to ask; the address of the pod unless given.'),
  scheme: string('HTTP or HTTPS.').defaultsTo('HTTP'),
  httpHeaders: list(httpHeader, 'Headers to send along.'),
};
export interface HTTPGetAction extends FieldsOf<typeof httpGetActionFields> {}
export const httpGetAction: ObjectSchema<HTTPGetAction> = object(
  'v1.HTTPGetAction',
  'Makes a GET request; any answer from 200 to 399 is a success.',
  httpGetActionFields,
);

const tcpSocketActionFields = {
  port: intOrString('Port of the container, by number or name.').mandatory().always(0),
};
export interface TCPSocketAction extends FieldsOf<typeof tcpSocketActionFields> {}
export const tcpSocketAction: ObjectSchema<TCPSocketAction> = object(
  'v1.TCPSocketAction',
  'Opens a connection.',
  tcpSocketActionFields,
);

/** The actions of which a handler or probe has exactly one. */
export const handlerFields = {
  exec: one(execAction, 'Run a program in the container.'),
  httpGet: one(httpGetAction, 'Make a GET request.'),
  tcpSocket: one(tcpSocketAction, 'Open a connection.'),
};
export interface Handler extends FieldsOf<typeof handlerFields> {}
export const handler: ObjectSchema<Handler> = object('v1.Handler', 'An action of one of three sorts.', handlerFields);

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
