import { badRequest } from '../../kinds/meta/api-error.ts';
import { YamlWriter } from './yaml-writer.ts';

/**
 * The most marks (line ends, brackets, quotes and the like) that a YAML body may hold. Reading YAML is slow, several microseconds a mark,
 * and nothing else happens meanwhile; JSON has no such bound.
 */
export const maxYamlMarks = 50_000;

/**
 * One YAML document as the value that the same JSON would give: keys are strings, moments stay strings. Plain words are read as YAML 1.1
 * does (`yes` is true, `0644` is octal), as in the reference. Refusals are 400 and name the line.
 */
export async function parseYaml(text: string): Promise<unknown> {
  if (countMarks(text) > maxYamlMarks) throw badRequest('the YAML is too large to be read; send it as JSON');
  // Most servers never see YAML, so its parser is loaded when the first comes.
  const { readYaml } = await import('./yaml-reader.ts');
  return readYaml(text);
}

/** A value of JSON's types as a YAML document. */
export async function formatYaml(value: unknown): Promise<string> {
  return new YamlWriter().write(value);
}

const marks = new Set(Array.from('\n,[]{}"\'&*!?#%:-|>', (mark) => mark.charCodeAt(0)));

function countMarks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if (marks.has(text.charCodeAt(at))) count++;
  return count;
}
