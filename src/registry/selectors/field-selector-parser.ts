import { badRequest, type ApiError } from '../../kinds/meta/api-error.ts';

/** One condition on one field, such as `metadata.name=web`. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

// A backslash takes the character behind it along, so that an escaped comma does not end the term.
const termShape = /(?:[^\\,]|\\[^]?)+/g;
const operatorShape = /!=|==?/;
const valueShape = /^(?:[^\\=]|\\[\\,=])*$/;

/** The requirements of a field selector. `checkField` says what is wrong with a name. */
export function parseFieldRequirements(
  text: string,
  checkField: (field: string) => string | undefined,
): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  if (/^,|,,|(?<!\\),$/.test(text)) throw badRequest(`fieldSelector "${text}" has a comma with nothing beside it`);
  for (const match of text.matchAll(termShape)) {
    const [term] = match;
    const wrong = (why: string): ApiError => {
      return badRequest(`fieldSelector "${text}", character ${match.index + 1}: ${why}`);
    };
    const operator = operatorShape.exec(term);
    if (!operator) throw wrong(`"${term}" needs one of =, == and !=`);
    const field = term.slice(0, operator.index);
    const value = term.slice(operator.index + operator[0].length);
    const wrongField = checkField(field);
    if (wrongField) throw wrong(wrongField);
    if (!valueShape.test(value))
      throw wrong(`in the value "${value}", write \\\\ for a backslash, \\= for "=" and \\, for ","`);
    requirements.push({ field, operator: operator[0] === '!=' ? '!=' : '=', value: value.replaceAll(/\\(.)/g, '$1') });
  }
  return requirements;
}
