import type { TerminalSize } from './command-streams.ts';

/** Reads a size as clients send it: `{"Width":80,"Height":24}`. */
export function tellSize(listener: (size: TerminalSize) => void, text: string): void {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    if (Number.isInteger(width) && Number.isInteger(height))
      listener({ width: width as number, height: height as number });
  } catch {
    // A size that cannot be read changes nothing.
  }
}
