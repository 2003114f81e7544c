/** A client of the HTTP interface, with one key. */
export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Null where the body is empty or no JSON. */
  readonly body: unknown;
};

type Sent = { readonly method?: string; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

export const send = async (url: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Answer> => {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  const parsed: unknown = json ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, body: parsed };
};

export const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

export const postJson = (url: string, key: string, body: unknown): Promise<Answer> =>
  send(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...bearer(key), 'Content-Type': 'application/json' },
  });

/** What an error says; fails the caller's comparison where the body is anything but `{error}`. */
export const errorOf = ({ body }: Answer): string | null =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'string' &&
  Object.keys(body).length === 1
    ? body.error
    : null;

/** The id in the body of a render. */
export const idOf = ({ body, text }: Answer): string => {
  if (typeof body === 'object' && body !== null && 'id' in body && typeof body.id === 'string') return body.id;
  throw new Error(`no render: ${text}`);
};
