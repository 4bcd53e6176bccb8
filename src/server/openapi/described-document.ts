import { createHash } from 'node:crypto';

/** A document about the API, ready to be sent. */
export interface DescribedDocument {
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Tells this content from any other. */
  readonly hash: string;
}

/** One form in which a document can be had. */
export interface DocumentForm {
  /** What clients ask for it by. */
  readonly mediaTypes: readonly string[];
  /** The document; written when it is first asked for, and kept. */
  readonly document: DescribedDocument;
}

export const jsonType = 'application/json';

export function jsonForm(content: () => object): DocumentForm {
  return lazyForm([jsonType], jsonType, () => Buffer.from(JSON.stringify(content())));
}

export function lazyForm(mediaTypes: readonly string[], contentType: string, write: () => Buffer): DocumentForm {
  let document: DescribedDocument | undefined;
  return {
    mediaTypes,
    get document() {
      return (document ??= readyDocument(contentType, write()));
    },
  };
}

/** The same document for clients that ask for it by other types. */
export function withTypes(form: DocumentForm, mediaTypes: readonly string[]): DocumentForm {
  return {
    mediaTypes,
    get document() {
      return form.document;
    },
  };
}

export function readyDocument(contentType: string, bytes: Buffer): DescribedDocument {
  return { contentType, bytes, hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32).toUpperCase() };
}
