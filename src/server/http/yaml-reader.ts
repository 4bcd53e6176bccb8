import { Composer, LineCounter, Parser, Scalar, isAlias, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Alias, CST, Node, Pair, Tags, YAMLMap } from 'yaml';
import { badRequest, type ApiError } from '../../kinds/meta/api-error.ts';
import { isCarriedExactly } from './exact-number.ts';
import { maxJsonDepth } from './json-fault.ts';

/** Anchors are for a few repeated parts; a document that grows far beyond its text is an attack. */
const maxAliasedNodes = 10_000;

const unwantedTags = new Set(
  ['timestamp', 'binary', 'merge', 'omap', 'pairs', 'set'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Reads one YAML document into JSON's types. Throws 400 with the line of the first mistake. */
export function readYaml(text: string): unknown {
  const lines = new LineCounter();
  const composer = new Composer({
    version: '1.1',
    schema: 'yaml-1.1',
    resolveKnownTags: false,
    customTags: withoutUnwanted,
    intAsBigInt: true,
    uniqueKeys: false,
  });
  const tokens = new BoundedParser(lines).parse(text);
  const [document, another] = composer.compose(tokens, true, text.length);
  const mistake = document?.errors[0] ?? document?.warnings[0];
  if (mistake) throw refusal(mistake.message, lines, mistake.pos[0]);
  if (another) throw refusal('a body holds one document, but another begins', lines, another.range[0]);
  return new ValueBuilder(lines).build(document?.contents, 0);
}

/**
 * Gives up on deep nesting as soon as it is seen. What comes behind recurses without bound, and a stack that overflows inside V8's
 * compiler of regular expressions ends the whole process.
 */
class BoundedParser extends Parser {
  readonly #lines: LineCounter;

  constructor(lines: LineCounter) {
    super(lines.addNewLine);
    this.#lines = lines;
  }

  override *next(source: string): Generator<CST.Token, void> {
    yield* super.next(source);
    // The document is on the stack too, and a scalar may be.
    if (this.stack.length > maxJsonDepth + 2) throw refusal(tooDeep, this.#lines, this.offset);
  }
}

const tooDeep = `values are nested more than ${maxJsonDepth} levels deep`;

/** Dates and base-60 numbers (`22:22`) stay text, as in the reference; merge keys are handled here. */
function withoutUnwanted(tags: Tags): Tags {
  return tags.filter(
    (tag) => typeof tag === 'string' || !(unwantedTags.has(tag.tag) || ('format' in tag && tag.format === 'TIME')),
  );
}

function refusal(what: string, lines: LineCounter, offset: number): ApiError {
  return badRequest(`the YAML cannot be read: ${what} (line ${lines.linePos(offset).line})`);
}

/** Builds plain values from parsed nodes, in the order of the document. */
class ValueBuilder {
  readonly #lines: LineCounter;
  /** The latest node with each anchor so far. */
  readonly #anchors = new Map<string, Node>();
  /** What each alias stood for when it was first met; an anchor may be given again later. */
  readonly #targets = new Map<Alias, Node>();
  #aliasesEntered = 0;
  #aliasedNodes = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  build(node: unknown, depth: number): unknown {
    if (depth > maxJsonDepth) this.#fail(tooDeep, node);
    if (isAlias(node)) return this.#alias(node, (target) => this.build(target, depth + 1));
    this.#note(node);
    if (isMap(node)) return this.#mapping(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.build(item, depth + 1));
    if (isScalar(node)) return this.#scalar(node);
    if (isPair(node)) return this.#fail('a list item cannot be a pair here', node);
    return null;
  }

  #mapping(map: YAMLMap, depth: number): Record<string, unknown> {
    const members = new Map<string, unknown>();
    const merged: Record<string, unknown>[] = [];
    for (const pair of map.items) {
      if (isMergeKey(pair)) merged.push(...this.#mergeSources(pair.value, depth + 1));
      else this.#member(pair, members, depth);
    }
    for (const source of merged) {
      for (const [key, value] of Object.entries(source)) if (!members.has(key)) members.set(key, value);
    }
    return Object.fromEntries(members);
  }

  #member(pair: Pair, members: Map<string, unknown>, depth: number): void {
    const key = this.#key(pair.key);
    if (members.has(key)) this.#fail(`the key ${JSON.stringify(key)} is given twice`, pair.key);
    if (key === '__proto__') this.#fail('the key "__proto__" cannot be used', pair.key);
    members.set(key, this.build(pair.value, depth + 1));
  }

  /** Keys keep their text: `on` and `0644` mean themselves here. */
  #key(node: unknown): string {
    if (isAlias(node)) return this.#alias(node, (target) => this.#key(target));
    this.#note(node);
    if (isMap(node) || isSeq(node)) this.#fail('lists and maps cannot be keys', node);
    return isScalar(node) ? (node.source ?? String(node.value)) : 'null';
  }

  /** The maps behind `<<`, the one that wins first. */
  #mergeSources(node: unknown, depth: number): Record<string, unknown>[] {
    const value = this.build(node, depth);
    const sources = Array.isArray(value) ? value : [value];
    const areMaps = sources.every((source) => typeof source === 'object' && source !== null && !Array.isArray(source));
    return areMaps ? sources : this.#fail('only maps can be merged with "<<"', node);
  }

  #scalar(node: Scalar): unknown {
    const { value } = node;
    if (typeof value !== 'number' && typeof value !== 'bigint') return value ?? null;
    const number = Number(value);
    if (!Number.isFinite(number)) this.#fail('infinity and NaN cannot be kept', node);
    if (!isCarriedExactly(String(value)))
      this.#fail(`the number ${value} is too large to be kept exactly; put it in quotes`, node);
    return number;
  }

  #alias<T>(alias: Alias, use: (target: Node) => T): T {
    const target = this.#targets.get(alias) ?? this.#anchors.get(alias.source);
    if (!target) return this.#fail(`nothing is marked &${alias.source}`, alias);
    this.#targets.set(alias, target);
    this.#aliasesEntered++;
    const result = use(target);
    this.#aliasesEntered--;
    return result;
  }

  #note(node: unknown): void {
    if (this.#aliasesEntered > 0) {
      if (++this.#aliasedNodes > maxAliasedNodes) this.#fail('its aliases repeat too much', node);
    } else if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor) {
      this.#anchors.set(node.anchor, node);
    }
  }

  #fail(what: string, node: unknown): never {
    const offset = (isMap(node) || isSeq(node) || isScalar(node) || isAlias(node)) && node.range ? node.range[0] : 0;
    throw refusal(what, this.#lines, offset);
  }
}

function isMergeKey(pair: Pair): boolean {
  return isScalar(pair.key) && pair.key.type === Scalar.PLAIN && pair.key.value === '<<';
}
