import { notAcceptable } from '../../kinds/meta/api-error.ts';
import { parseAccept, type MediaRange } from '../http/media-ranges.ts';
import type { ApiParts } from './api-description.ts';
import type { DescribedDocument, DocumentForm } from './described-document.ts';
import type { DescriptionDocuments } from './description-documents.ts';

/** Paths of documents about the API, whether or not there is one. */
const describedPath = /^\/(?:openapi\/v[23]|swaggerapi)(?:\/|$)|^\/swagger(?:\.json|-2\.0\.0\.pb-v1)$/;

/** Documents about the API. Nothing of them is loaded or worked out before one is asked for. */
export class Descriptions {
  readonly #parts: ApiParts;
  #documents: Promise<DescriptionDocuments> | undefined;

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  /** The document at a path in the form that the client likes best; undefined where there is none, 406 where it is not to be had in that form. */
  async find(path: string, accept: string | undefined): Promise<DescribedDocument | undefined> {
    if (!describedPath.test(path)) return undefined;
    this.#documents ??= load(this.#parts);
    const documents = await this.#documents;
    const forms = documents.get(path);
    return forms && chooseForm(forms, accept).document;
  }
}

async function load(parts: ApiParts): Promise<DescriptionDocuments> {
  const { descriptionDocuments } = await import('./description-documents.ts');
  return descriptionDocuments(parts);
}

function chooseForm(forms: readonly DocumentForm[], accept: string | undefined): DocumentForm {
  for (const range of parseAccept(accept)) {
    const form = forms.find(({ mediaTypes }) => matches(range, mediaTypes));
    if (form) return form;
  }
  const known = forms.flatMap(({ mediaTypes }) => mediaTypes).join(' or ');
  throw notAcceptable(`this can be given as ${known}; the Accept header does not allow that`);
}

function matches({ type, parameters }: MediaRange, mediaTypes: readonly string[]): boolean {
  if (parameters.has('as')) return false;
  return type === '*/*' || type === 'application/*' || mediaTypes.includes(type);
}
