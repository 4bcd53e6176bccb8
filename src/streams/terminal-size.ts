import type { TerminalSize } from './command-streams.ts';

/** Reads a size as clients send it: `{"Width":80,"Height":24}`. As in the reference names may be written in any case; some clients use small letters. */
export function tellSize(listener: (size: TerminalSize) => void, text: string): void {
  try {
    const fields = Object.entries(JSON.parse(text) as object).map(
      ([name, value]) => [name.toLowerCase(), value] as const,
    );
    const { width, height } = Object.fromEntries(fields) as Record<string, unknown>;
    if (Number.isInteger(width) && Number.isInteger(height)) {
      listener({ width: width as number, height: height as number });
    }
  } catch {
    // A size that cannot be read changes nothing.
  }
}
