/** What objects can be turned into for clients that do not want all of them. */
export type ShapeName = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

export const shapeVersions = ['v1', 'v1beta1'] as const;

/** A shape in one version of the group `meta.k8s.io`. */
export interface AnswerShape {
  readonly as: ShapeName;
  readonly version: (typeof shapeVersions)[number];
}

/** Shapes of a single object, and of the events of a watch. */
export const objectShapes: readonly ShapeName[] = ['Table', 'PartialObjectMetadata'];
export const listShapes: readonly ShapeName[] = ['Table', 'PartialObjectMetadataList'];

export const shapeGroup = 'meta.k8s.io';

export function shapeApiVersion({ version }: AnswerShape): string {
  return `${shapeGroup}/${version}`;
}

/** How much of its object a row of a table carries. */
export const rowObjects = ['Metadata', 'None', 'Object'] as const;
export type RowObject = (typeof rowObjects)[number];

/** All that a client says about the shape of its answer. */
export interface RequestedShape extends AnswerShape {
  readonly rowObject: RowObject;
}
