import { describeApi, partsOf, type ApiDescription, type ApiParts } from './api-description.ts';
import { jsonForm, jsonType, lazyForm, withTypes, type DocumentForm } from './described-document.ts';
import { encodeOpenApiV2 } from './openapi-v2-protobuf.ts';
import { writeOpenApiV2 } from './openapi-v2.ts';
import { writeOpenApiV3 } from './openapi-v3.ts';
import { writeSwagger, writeSwaggerIndex } from './swagger.ts';

/** The first is what clients ask for, but no media type by the rules, so it is answered with the second. */
const protobufTypes = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
] as const;

/** Every document by its path, with its forms; what is liked best comes first. */
export type DescriptionDocuments = ReadonlyMap<string, readonly DocumentForm[]>;

/** Works out what there is to describe; each document is written when it is first read. */
export function descriptionDocuments(parts: ApiParts): DescriptionDocuments {
  const api = describeApi(parts);
  return new Map([...versionTwo(api), ...versionThree(api), ...swaggerDocuments(api)]);
}

function versionTwo(api: ApiDescription): [string, DocumentForm[]][] {
  const json = jsonForm(() => writeOpenApiV2(api));
  const protobuf = lazyForm(protobufTypes, protobufTypes[1], () => encodeOpenApiV2(writeOpenApiV2(api)));
  return [
    ['/openapi/v2', [json, protobuf]],
    // Where clients before 1.10 look for them; they name no media type that would tell.
    ['/swagger.json', [json]],
    ['/swagger-2.0.0.pb-v1', [withTypes(protobuf, [...protobufTypes, jsonType])]],
  ];
}

function versionThree(api: ApiDescription): [string, DocumentForm[]][] {
  const parts = [...partsOf(api)].map(([part, operations]) => {
    return { part, form: jsonForm(() => writeOpenApiV3(api, operations)) };
  });
  const index = jsonForm(() => {
    const urls = parts.map(({ part, form }) => [part, `/openapi/v3/${part}?hash=${form.document.hash}`]);
    return { paths: Object.fromEntries(urls.map(([part, serverRelativeURL]) => [part, { serverRelativeURL }])) };
  });
  return [
    ['/openapi/v3', [index]],
    ...parts.map(({ part, form }): [string, DocumentForm[]] => [`/openapi/v3/${part}`, [form]]),
  ];
}

function swaggerDocuments(api: ApiDescription): [string, DocumentForm[]][] {
  const parts = [...partsOf(api)];
  const index = jsonForm(() => writeSwaggerIndex(parts.map(([part]) => part)));
  return [
    ['/swaggerapi', [index]],
    ...parts.map(([part, operations]): [string, DocumentForm[]] => [
      `/swaggerapi/${part}`,
      [jsonForm(() => writeSwagger(api, part, operations))],
    ]),
  ];
}
