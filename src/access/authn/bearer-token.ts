import type { Authenticator, TokenAuthenticator, TokenOwner } from './authenticator.ts';

/** Users who show a token that one of these knows. Any other way to use the header is refused: whoever sends it means to be somebody. */
export function bearerTokenAuthenticator(tokens: TokenAuthenticator): Authenticator {
  return {
    async authenticate({ headers }) {
      const { authorization = '' } = headers;
      if (authorization.trim() === '') return 'absent';
      const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
      if (token === undefined) return 'refused';
      return (await tokens.identify(token))?.user ?? 'refused';
    },
  };
}

/** Asks one after the other. */
export function firstKnowing(makes: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async identify(token, audiences): Promise<TokenOwner | undefined> {
      for (const make of makes) {
        const owner = await make.identify(token, audiences);
        if (owner) return owner;
      }
      return undefined;
    },
  };
}
