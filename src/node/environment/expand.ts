/** `$$`, or a variable in parentheses. */
const references = /\$(?:\$|\(([^)]*)\))/g;

/** Puts values in for `$(NAME)`. `$$` is a plain `$`; a variable that is not known stays as it is written. */
export function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(references, (reference: string, name: string | undefined) => {
    if (name === undefined) return '$';
    return (Object.hasOwn(values, name) ? values[name] : undefined) ?? reference;
  });
}
