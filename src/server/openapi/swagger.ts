import type { NamedField, ObjectSchema, Schema } from '../../schema/schema.ts';
import { groupOperations, type ApiDescription } from './api-description.ts';
import type { ApiOperation } from './api-operation.ts';
import { isRequired } from './json-schema.ts';
import type { Parameter } from './parameters.ts';
import { swaggerName, typesWithin } from './type-names.ts';

/** One part of the API in Swagger 1.2, as clients of the first years read it. */
export interface SwaggerPart {
  readonly swaggerVersion: '1.2';
  readonly apiVersion: string;
  readonly basePath: string;
  readonly resourcePath: string;
  readonly info: { readonly title: string; readonly description: string };
  readonly apis: readonly {
    readonly path: string;
    readonly description: string;
    readonly operations: readonly SwaggerOperation[];
  }[];
  readonly models: Readonly<Record<string, SwaggerModel>>;
}

export interface SwaggerModel {
  readonly id: string;
  readonly description: string;
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, SwaggerProperty>>;
}

export interface SwaggerProperty extends SwaggerType {
  readonly description: string;
}

interface SwaggerType {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly items?: SwaggerType;
}

/** What parts there are. */
export interface SwaggerIndex {
  readonly swaggerVersion: '1.2';
  readonly apis: readonly { readonly path: string; readonly description: string }[];
}

export function writeSwaggerIndex(parts: readonly string[]): SwaggerIndex {
  return {
    swaggerVersion: '1.2',
    apis: parts.map((part) => ({ path: `/${part}`, description: `What is served below /${part}.` })),
  };
}

/** One part of the API, such as `api/v1`. */
export function writeSwagger(api: ApiDescription, part: string, operations: readonly ApiOperation[]): SwaggerPart {
  const paths = [...groupOperations(operations, ({ path }) => path)];
  return {
    swaggerVersion: '1.2',
    apiVersion: part.replace(/^apis?\/?/, ''),
    // Relative to the server that is asked, whatever name it is known by.
    basePath: '/',
    resourcePath: `/${part}`,
    info: { title: api.title, description: `What is served below /${part}.` },
    apis: paths.map(([path, each]) => ({
      path,
      description: each[0]!.description,
      operations: each.map(writeOperation),
    })),
    models: writeModels(operations),
  };
}

function writeOperation(operation: ApiOperation): SwaggerOperation {
  const { body, answer } = operation;
  const type = answer ? swaggerName(answer.schema) : 'string';
  const parameters = operation.parameters.map(writeParameter);
  if (body) {
    const schema = swaggerName(body.type.schema);
    parameters.push({ type: schema, paramType: 'body', name: 'body', description: '', required: body.required, allowMultiple: false }); // prettier-ignore
  }
  return {
    type,
    method: operation.method,
    summary: operation.description,
    nickname: operation.id,
    parameters,
    responseMessages: operation.codes.map((code) => ({ code, message: 'success', responseModel: type })),
    produces: operation.produces,
    consumes: operation.consumes,
  };
}

interface SwaggerOperation {
  readonly type: string;
  readonly method: string;
  readonly summary: string;
  readonly nickname: string;
  readonly parameters: readonly SwaggerParameter[];
  readonly responseMessages: readonly {
    readonly code: number;
    readonly message: string;
    readonly responseModel: string;
  }[];
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
}

interface SwaggerParameter {
  readonly type: string;
  readonly paramType: string;
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly allowMultiple: boolean;
}

function writeParameter({ name, in: place, type, description, repeats = false }: Parameter): SwaggerParameter {
  return { type, paramType: place, name, description, required: place === 'path', allowMultiple: repeats };
}

function writeModels(operations: readonly ApiOperation[]): Record<string, SwaggerModel> {
  const found = new Set<ObjectSchema>();
  for (const { body, answer } of operations) {
    if (body) typesWithin(body.type.schema, found);
    if (answer) typesWithin(answer.schema, found);
  }
  const models = new Map([...found].map((schema) => [swaggerName(schema), writeModel(schema)]));
  return Object.fromEntries([...models].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function writeModel(schema: ObjectSchema): SwaggerModel {
  const required = schema.fieldList.filter(isRequired).map(({ name }) => name);
  return {
    id: swaggerName(schema),
    description: schema.description,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(schema.fieldList.map((field) => [field.name, writeProperty(field)])),
  };
}

function writeProperty({ schema, description }: NamedField): SwaggerProperty {
  return { ...writeType(schema), description };
}

function writeType(schema: Schema): SwaggerType {
  switch (schema.type) {
    case 'integer':
      return { type: 'integer', format: `int${schema.bits}` };
    case 'boolean':
      return { type: 'boolean' };
    case 'list':
      return { type: 'array', items: writeType(schema.item) };
    // Swagger 1.2 has no maps.
    case 'map':
    case 'any':
      return { type: 'any' };
    case 'object':
      return { $ref: swaggerName(schema) };
    default:
      return { type: 'string' };
  }
}
