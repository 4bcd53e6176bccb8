/** Where in an object a value stands, written as `spec.containers[0].image` or `metadata.labels[app]`. */
export class Path {
  static readonly root = new Path(undefined, '');

  readonly #parent: Path | undefined;
  readonly #segment: string;

  private constructor(parent: Path | undefined, segment: string) {
    this.#parent = parent;
    this.#segment = segment;
  }

  /** `Path.of('spec', 'containers')` is `spec.containers`. */
  static of(...fields: string[]): Path {
    let path = Path.root;
    for (const field of fields) path = path.at(field);
    return path;
  }

  at(field: string): Path {
    return new Path(this, this === Path.root ? field : `.${field}`);
  }

  index(position: number): Path {
    return new Path(this, `[${position}]`);
  }

  key(key: string): Path {
    return new Path(this, `[${key}]`);
  }

  toString(): string {
    return this.#parent ? `${this.#parent.toString()}${this.#segment}` : this.#segment;
  }
}
