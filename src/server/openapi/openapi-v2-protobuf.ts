import type { OpenApiV2, ParameterV2 } from './openapi-v2.ts';
import { ProtobufMessage } from './protobuf-message.ts';

/** Writes a value as the field of that number. */
type Write = (message: ProtobufMessage, field: number, value: never) => void;

/** How a JSON object is written as a message: number and form of each member, and the number for `x-` members. */
interface MessageForm {
  readonly fields: Readonly<Record<string, readonly [number: number, write: Write]>>;
  readonly extensions?: number;
}

/** The document as the message `openapi.v2.Document`, whose numbers are those of the published definition. */
export function encodeOpenApiV2(document: OpenApiV2): Buffer {
  return encode(documentForm, document).finish();
}

function encode(form: MessageForm, value: object): ProtobufMessage {
  const message = new ProtobufMessage();
  for (const [name, member] of Object.entries(value) as [string, never][]) {
    if (name.startsWith('x-') && form.extensions !== undefined) {
      message.message(form.extensions, new ProtobufMessage().text(1, name).message(2, anyValue(member)));
      continue;
    }
    const field = form.fields[name];
    if (!field) throw new Error(`the message has no field for ${JSON.stringify(name)}`);
    const [number, write] = field;
    write(message, number, member);
  }
  return message;
}

/** Any value goes as YAML, of which JSON is a part. */
function anyValue(value: unknown): ProtobufMessage {
  return new ProtobufMessage().text(2, `${JSON.stringify(value)}\n`);
}

const text: Write = (message, field, value: string) => message.text(field, value);
const flag: Write = (message, field, value: boolean) => message.flag(field, value);
const double: Write = (message, field, value: number) => message.double(field, value);
const any: Write = (message, field, value: unknown) => message.message(field, anyValue(value));
const texts: Write = (message, field, values: readonly string[]) => values.forEach((each) => message.text(field, each));
const anys: Write = (message, field, values: readonly unknown[]) =>
  values.forEach((each) => message.message(field, anyValue(each)));

/** A message of its own. The form is asked for when it is needed: schemas hold schemas. */
function nested(form: () => MessageForm): Write {
  return (message, field, value: object) => message.message(field, encode(form(), value));
}

/** A message whose only field is the value. */
function wrapped(inner: number, write: Write): Write {
  return (message, field, value) => {
    const wrapper = new ProtobufMessage();
    write(wrapper, inner, value);
    message.message(field, wrapper);
  };
}

/** An object with free keys: a message with pairs of name and value. */
function pairs(inner: number, write: Write): Write {
  return (message, field, value: Readonly<Record<string, never>>) => {
    const map = new ProtobufMessage();
    for (const [name, member] of Object.entries(value)) {
      const pair = new ProtobufMessage().text(1, name);
      write(pair, 2, member);
      map.message(inner, pair);
    }
    message.message(field, map);
  };
}

function each(write: Write): Write {
  return (message, field, values: readonly never[]) => values.forEach((value) => write(message, field, value));
}

const schema = nested(() => schemaForm);

const schemaForm: MessageForm = {
  fields: {
    $ref: [1, text],
    format: [2, text],
    description: [4, text],
    default: [5, any],
    maximum: [7, double],
    minimum: [9, double],
    required: [19, texts],
    enum: [20, anys],
    additionalProperties: [21, wrapped(1, schema)],
    type: [22, wrapped(1, text)],
    items: [23, wrapped(1, schema)],
    properties: [25, pairs(1, schema)],
  },
  extensions: 31,
};

const bodyParameterForm: MessageForm = {
  fields: { description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] },
};

const itemsForm: MessageForm = { fields: { type: [1, text] } };
const items = nested(() => itemsForm);
const parameterFields = { required: [1, flag], in: [2, text], description: [3, text], name: [4, text] } as const;

const queryParameterForm: MessageForm = {
  fields: { ...parameterFields, type: [6, text], items: [8, items], collectionFormat: [9, text] },
};
const pathParameterForm: MessageForm = {
  fields: { ...parameterFields, type: [5, text], items: [7, items], collectionFormat: [8, text] },
};

/** Three messages deep stands which sort of parameter it is. */
const parameter: Write = (message, field, value: ParameterV2) => {
  const sort = new ProtobufMessage();
  if (value.in === 'body') sort.message(1, encode(bodyParameterForm, value));
  else {
    const isQuery = value.in === 'query';
    const form = isQuery ? queryParameterForm : pathParameterForm;
    sort.message(2, new ProtobufMessage().message(isQuery ? 3 : 4, encode(form, value)));
  }
  message.message(field, new ProtobufMessage().message(1, sort));
};

const responseForm: MessageForm = { fields: { description: [1, text], schema: [2, wrapped(1, schema)] } };
const response = wrapped(1, nested(() => responseForm)); // prettier-ignore

const operationForm: MessageForm = {
  fields: {
    tags: [1, texts],
    description: [3, text],
    operationId: [5, text],
    produces: [6, texts],
    consumes: [7, texts],
    parameters: [8, each(parameter)],
    responses: [9, pairs(1, response)],
  },
  extensions: 13,
};
const operation = nested(() => operationForm);

const pathItemForm: MessageForm = {
  fields: {
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
  },
};

const infoForm: MessageForm = { fields: { title: [1, text], version: [2, text] } };

const documentForm: MessageForm = {
  fields: {
    swagger: [1, text],
    info: [2, nested(() => infoForm)],
    paths: [8, pairs(2, nested(() => pathItemForm))], // prettier-ignore
    definitions: [9, pairs(1, schema)],
  },
};
