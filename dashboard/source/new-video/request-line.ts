import { bodyOf, type Wanted } from './use-check.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

export type RenderWish = Omit<Wanted, 'team_id' | 'version'> & { readonly name: string; readonly draft: boolean };

export const renderBody = ({ name, draft, ...wanted }: RenderWish) => ({
  ...{ name: name.trim(), ...bodyOf(wanted) },
  ...(draft && { draft }),
});

/** The same request for a program with an API key. */
export const curlLine = (origin: string, wish: RenderWish, once: string): string =>
  `curl -X POST ${origin}/v1/renders \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: ${once}" \\
  -d ${quoted(JSON.stringify(renderBody(wish), null, 2))}`;
