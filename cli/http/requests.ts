import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { ApiAnswer, ApiClient, ApiRequest, ApiResult } from './api-client.ts';

export const ask = async <A>(client: ApiClient, codec: t.Decoder<unknown, A>, request: ApiRequest): ApiResult<A> =>
  E.map(({ body }: ApiAnswer<A>) => body)(await client.send(codec, request));

const LARGEST_PAGE = '60';

/** @param most the number of items after which the list ends */
export const allPages = async <A>(
  client: ApiClient,
  item: t.Type<A, unknown>,
  path: string,
  query: Readonly<Record<string, string>> = {},
  most = Number.POSITIVE_INFINITY,
): ApiResult<readonly A[]> => {
  const Page = t.type({ data: t.array(item), next_cursor: nullable(t.string) });
  const all: A[] = [];
  for (let cursor: string | null = null; ; ) {
    const search = new URLSearchParams({ ...query, limit: LARGEST_PAGE, ...(cursor === null ? {} : { cursor }) });
    const page: Awaited<ApiResult<t.TypeOf<typeof Page>>> = await ask(client, Page, { path: `${path}?${search}` });
    if (E.isLeft(page)) return page;
    all.push(...page.right.data);
    cursor = page.right.next_cursor;
    if (cursor === null || all.length >= most) return E.right(all.slice(0, most));
  }
};
