const decimal = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a decimal number still has its value when it is read as a double and written again. Fractions are always taken as near enough:
 * only numbers beyond the safe integers are looked at, where a silent change would be one of whole units.
 */
export function isCarriedExactly(text: string): boolean {
  const value = Number(text);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  return Number.isFinite(value) && scientific(text) === scientific(String(value));
}

/** One spelling for each decimal number, its sign left out. */
function scientific(text: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? [];
  const digits = `${whole}${fraction}`;
  const significant = digits.replace(/^0+/, '');
  const pointAt = whole.length + Number(exponent) - (digits.length - significant.length);
  return `${significant.replace(/0+$/, '')}e${pointAt}`;
}
