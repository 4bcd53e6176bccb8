/** Where in an object a value stands, written as `spec.containers[0].image` or `metadata.labels[app]`. */
export class Path {
  static readonly root = new Path(undefined, '', true);

  readonly #parent: Path | undefined;
  readonly #segment: string | number;
  readonly #isField: boolean;

  private constructor(parent: Path | undefined, segment: string | number, isField: boolean) {
    this.#parent = parent;
    this.#segment = segment;
    this.#isField = isField;
  }

  /** `Path.of('spec', 'containers')` is `spec.containers`. */
  static of(...fields: string[]): Path {
    let path = Path.root;
    for (const field of fields) path = path.at(field);
    return path;
  }

  at(field: string): Path {
    return new Path(this, field, true);
  }

  index(position: number): Path {
    return new Path(this, position, false);
  }

  key(key: string): Path {
    return new Path(this, key, false);
  }

  /** Put together only here: of all paths that validation walks, hardly any is ever shown. */
  toString(): string {
    if (!this.#parent) return '';
    const before = this.#parent.toString();
    if (!this.#isField) return `${before}[${this.#segment}]`;
    return before === '' ? `${this.#segment}` : `${before}.${this.#segment}`;
  }
}
