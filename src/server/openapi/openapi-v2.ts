import { groupOperations, type ApiDescription } from './api-description.ts';
import type { ApiOperation } from './api-operation.ts';
import { JsonSchemaWriter, type Dialect, type JsonSchema } from './json-schema.ts';
import type { Parameter } from './parameters.ts';
import type { GroupVersionKind } from './type-catalog.ts';

export interface OpenApiV2 {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, PathItemV2>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

/** Operations by method in small letters. */
export type PathItemV2 = Readonly<Record<string, OperationV2>>;

export interface OperationV2 {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
  readonly parameters: readonly ParameterV2[];
  readonly responses: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly 'x-kubernetes-action'?: string;
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

export interface ParameterV2 {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly description?: string;
  readonly required?: boolean;
  readonly type?: string;
  readonly items?: { readonly type: string };
  readonly collectionFormat?: string;
  /** Of a body only. */
  readonly schema?: JsonSchema;
}

const dialect: Dialect = {
  refPrefix: '#/definitions/',
  wrapsRefs: false,
  plain: ({ description, format, takes }) => ({ description, type: takes[0], ...(format !== undefined && { format }) }),
};

/** The whole API in one document of OpenAPI 2.0, as clients up to about 1.26 read it. */
export function writeOpenApiV2(api: ApiDescription): OpenApiV2 {
  const writer = new JsonSchemaWriter(dialect, api.types);
  const byPath = groupOperations(api.operations, ({ path }) => path);
  const paths = [...byPath]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map((each) => [each.method.toLowerCase(), writeOperation(each, writer)])),
    ]);
  for (const type of api.types.all) writer.refTo(type);
  return {
    swagger: '2.0',
    info: { title: api.title, version: api.version },
    paths: Object.fromEntries(paths) as Record<string, PathItemV2>,
    definitions: writer.takeSchemas(),
  };
}

function writeOperation(operation: ApiOperation, writer: JsonSchemaWriter): OperationV2 {
  const { body, answer, action, target } = operation;
  const parameters: ParameterV2[] = operation.parameters.map(writeParameter);
  if (body) {
    parameters.push({ name: 'body', in: 'body', required: body.required, schema: writer.refTo(body.type) });
  }
  const schema = answer ? writer.refTo(answer) : { type: 'string' };
  const codes = operation.codes.length > 0 ? operation.codes.map(String) : ['default'];
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    produces: operation.produces,
    consumes: operation.consumes,
    parameters,
    responses: Object.fromEntries(codes.map((code) => [code, { description: 'success', schema }])),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(target && { 'x-kubernetes-group-version-kind': target }),
  };
}

function writeParameter({ name, in: place, type, description, repeats }: Parameter): ParameterV2 {
  const required = place === 'path' ? { required: true } : {};
  const value = repeats ? { type: 'array', items: { type }, collectionFormat: 'multi' } : { type };
  return { name, in: place, description, ...required, ...value };
}
