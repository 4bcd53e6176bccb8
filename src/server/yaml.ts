/** One YAML document as the value that the same JSON would give. Refusals are 400 and name the line. */
export async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(text);
}

/** A value of JSON's types as a YAML document. */
export async function formatYaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(value);
}
