import type { OpenApiV2, ParameterV2 } from './openapi-v2.ts';
import { ProtobufWriter } from './protobuf-writer.ts';

/** Writes a value as the field of that number. */
type Write = (writer: ProtobufWriter, field: number, value: never) => void;

/** How a JSON object is written as a message: number and form of each member, and the number for `x-` members. */
interface MessageForm {
  readonly fields: Readonly<Record<string, readonly [number: number, write: Write]>>;
  readonly extensions?: number;
}

/** The document as the message `openapi.v2.Document`, whose numbers are those of the published definition. */
export function encodeOpenApiV2(document: OpenApiV2): Buffer {
  const writer = new ProtobufWriter();
  encode(writer, documentForm, document);
  return writer.finish();
}

function encode(writer: ProtobufWriter, form: MessageForm, value: object): void {
  for (const [name, member] of Object.entries(value) as [string, never][]) {
    if (name.startsWith('x-') && form.extensions !== undefined) {
      writer.message(form.extensions, () => any(writer.text(1, name), 2, member));
      continue;
    }
    const field = form.fields[name];
    if (!field) throw new Error(`the message has no field for ${JSON.stringify(name)}`);
    const [number, write] = field;
    write(writer, number, member);
  }
}

const text: Write = (writer, field, value: string) => writer.text(field, value);
const flag: Write = (writer, field, value: boolean) => writer.flag(field, value);
const double: Write = (writer, field, value: number) => writer.double(field, value);

/** Any value goes as YAML, of which JSON is a part. */
const any: Write = (writer, field, value: unknown) =>
  writer.message(field, () => writer.text(2, `${JSON.stringify(value)}\n`));

/** A message of its own. The form is asked for when it is needed: schemas hold schemas. */
function nested(form: () => MessageForm): Write {
  return (writer, field, value: object) => writer.message(field, () => encode(writer, form(), value));
}

/** A message whose only field is the value. */
function wrapped(inner: number, write: Write): Write {
  return (writer, field, value) => writer.message(field, () => write(writer, inner, value));
}

/** An object with free keys: a message with pairs of name and value. */
function pairs(inner: number, write: Write): Write {
  return (writer, field, value: Readonly<Record<string, never>>) =>
    writer.message(field, () => {
      for (const [name, member] of Object.entries(value)) {
        writer.message(inner, () => write(writer.text(1, name), 2, member));
      }
    });
}

/** A field for each member of a list. */
function each(write: Write): Write {
  return (writer, field, values: readonly never[]) => values.forEach((value) => write(writer, field, value));
}

const texts = each(text);
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
    enum: [20, each(any)],
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

const parameterSorts: Readonly<Record<ParameterV2['in'], readonly [number: number, write: Write]>> = {
  body: [1, nested(() => bodyParameterForm)],
  query: [
    2,
    wrapped(
      3,
      nested(() => queryParameterForm),
    ),
  ],
  path: [
    2,
    wrapped(
      4,
      nested(() => pathParameterForm),
    ),
  ],
};

/** What sort of parameter it is, is told by where it stands. */
const parameter: Write = (writer, field, value: ParameterV2) => {
  const [sort, write] = parameterSorts[value.in];
  writer.message(field, () => writer.message(1, () => write(writer, sort, value as never)));
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
