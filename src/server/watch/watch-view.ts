import type { ListMeta } from '../../kinds/meta/object-meta.ts';
import type { ServedVersion } from '../../kinds/served-version.ts';
import type { Clock } from '../../base/clock.ts';
import { encodeWatchEvent } from '../../registry/encoding.ts';
import type { EventView } from '../../registry/event-view.ts';
import { encodeMetadata } from '../table/partial-metadata.ts';
import { shapeApiVersion, type AnswerShape, type RequestedShape } from '../table/shape.ts';
import { showEntry } from '../table/showable.ts';
import { encodeRow, encodeTable, type TableStyle } from '../table/table.ts';

/** How one watch tells of objects and of how far it has come. */
export interface WatchView extends EventView {
  /** Tells the first event, where that says more than the others. */
  readonly first?: EventView;
  /** The object of a bookmark. */
  bookmark(resourceVersion: string): object;
}

/** The views of a server. There is one for each shape, so that those who want the same share what is made for it. */
export class WatchViews {
  readonly #clock: Clock;
  readonly #views = new Map<ServedVersion, Map<string, WatchView>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(served: ServedVersion, shape: RequestedShape | undefined): WatchView {
    let views = this.#views.get(served);
    if (!views) this.#views.set(served, (views = new Map<string, WatchView>()));
    const key = shape ? `${shape.as} ${shape.version} ${shape.rowObject}` : '';
    let view = views.get(key);
    if (!view) views.set(key, (view = this.#make(served, shape)));
    return view;
  }

  #make(served: ServedVersion, shape: RequestedShape | undefined): WatchView {
    if (!shape) return wholeObjects(served);
    if (shape.as !== 'Table') return metadataOnly(served, shape);
    return tables(served, { kind: served.kind, shape }, this.#clock);
  }
}

function wholeObjects(served: ServedVersion): WatchView {
  const { apiVersion, kind } = served;
  return {
    line: (type, entry) => encodeWatchEvent(type, entry, served),
    bookmark: (resourceVersion) => ({
      kind: kind.kind,
      apiVersion,
      metadata: { resourceVersion, creationTimestamp: null },
    }),
  };
}

function metadataOnly(served: ServedVersion, shape: AnswerShape): WatchView {
  const identity = { kind: 'PartialObjectMetadata', apiVersion: shapeApiVersion(shape) };
  return {
    line: (type, entry) => eventLine(type, encodeMetadata(shape, showEntry(entry, served))),
    bookmark: (resourceVersion) => ({ ...identity, metadata: { resourceVersion, creationTimestamp: null } }),
  };
}

/** A table of one row for each event; the columns are told once. */
function tables(served: ServedVersion, style: TableStyle, clock: Clock): WatchView {
  const view = (columns: boolean): EventView => ({
    line(type, entry) {
      const shown = showEntry(entry, served);
      const metadata: ListMeta = { resourceVersion: shown.metadata.resourceVersion };
      return eventLine(type, encodeTable(style, { metadata, rows: [encodeRow(style, shown, clock.now())], columns }));
    },
  });
  return {
    ...view(false),
    first: view(true),
    bookmark: (resourceVersion) => ({
      kind: 'Table',
      apiVersion: shapeApiVersion(style.shape),
      metadata: { resourceVersion },
      columnDefinitions: [],
      rows: [],
    }),
  };
}

function eventLine(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`);
}
