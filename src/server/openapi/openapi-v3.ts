import { groupOperations, type ApiDescription } from './api-description.ts';
import type { ApiOperation } from './api-operation.ts';
import { JsonSchemaWriter, type Dialect, type JsonSchema } from './json-schema.ts';
import type { Parameter } from './parameters.ts';
import type { GroupVersionKind } from './type-catalog.ts';

export interface OpenApiV3 {
  readonly openapi: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationV3>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

export interface OperationV3 {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly parameters: readonly ParameterV3[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>;

export interface ParameterV3 {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: JsonSchema;
}

const dialect: Dialect = {
  refPrefix: '#/components/schemas/',
  wrapsRefs: true,
  plain({ description, format, takes }) {
    const type = takes.length === 1 ? { type: takes[0] } : { oneOf: takes.map((each) => ({ type: each })) };
    return { description, ...type, ...(format !== undefined && { format }) };
  },
};

/** One part of the API as a document of OpenAPI 3.0 with the types that it needs. */
export function writeOpenApiV3(api: ApiDescription, operations: readonly ApiOperation[]): OpenApiV3 {
  const writer = new JsonSchemaWriter(dialect, api.types);
  const paths = [...groupOperations(operations, ({ path }) => path)].map(([path, each]) => [
    path,
    Object.fromEntries(each.map((operation) => [operation.method.toLowerCase(), writeOperation(operation, writer)])),
  ]);
  return {
    openapi: '3.0.0',
    info: { title: api.title, version: api.version },
    paths: Object.fromEntries(paths) as OpenApiV3['paths'],
    components: { schemas: writer.takeSchemas() },
  };
}

function writeOperation(operation: ApiOperation, writer: JsonSchemaWriter): OperationV3 {
  const { body, answer, action, target } = operation;
  const schema = answer ? writer.refTo(answer) : { type: 'string' };
  const content = contentOf(operation.produces, schema);
  const codes = operation.codes.length > 0 ? operation.codes.map(String) : ['default'];
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    parameters: operation.parameters.map(writeParameter),
    ...(body && {
      requestBody: { required: body.required, content: contentOf(operation.consumes, writer.refTo(body.type)) },
    }),
    responses: Object.fromEntries(codes.map((code) => [code, { description: 'success', content }])),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(target && { 'x-kubernetes-group-version-kind': target }),
  };
}

function contentOf(mediaTypes: readonly string[], schema: JsonSchema): Content {
  return Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));
}

function writeParameter({ name, in: place, type, description, repeats }: Parameter): ParameterV3 {
  const required = place === 'path' ? { required: true } : {};
  return { name, in: place, description, ...required, schema: repeats ? { type: 'array', items: { type } } : { type } };
}
