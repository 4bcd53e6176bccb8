/** What an image's name stands for on this machine. */
export interface Image {
  /** What runs first, unless the container brings a command. */
  readonly command: readonly string[];
  /** Arguments for it, unless the container brings arguments or a command. */
  readonly args: readonly string[];
  /** Where it starts, unless the container says; also where relative commands are. */
  readonly directory?: string;
  /** Variables that the container's own go before. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names that a container's command may use for programs of ours: the first word is replaced. */
  readonly programs: Readonly<Record<string, readonly string[]>>;
}

export interface CommandLine {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

/** Puts a command line together as images and containers do everywhere: a container's command replaces all of the image's, its arguments only those. */
export function commandLine(image: Image | undefined, container: CommandLine): readonly string[] {
  const words =
    container.command.length > 0
      ? [...container.command, ...container.args]
      : [...(image?.command ?? []), ...(container.args.length > 0 ? container.args : (image?.args ?? []))];
  const [first = '', ...rest] = words;
  const program = image?.programs[first];
  return program ? [...program, ...rest] : words;
}
