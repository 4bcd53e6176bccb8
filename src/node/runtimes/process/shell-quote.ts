/** Text that a shell takes for exactly this one word. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function quoteAll(words: readonly string[]): string {
  return words.map(quote).join(' ');
}
