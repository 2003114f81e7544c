import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import { COMPOSED_STILLS_PATH, type ComposedStill } from '../../schemas/http/composed-still.ts';
import { StillFault } from '../../schemas/http/still.ts';

/** The file of this asset is missing or damaged. */
export type LostAsset = Extract<StillFault, { tag: 'asset_lost' }>;

/** Never rejects. @param gone aborts when the client has gone */
export type StillsService = (
  still: ComposedStill,
  gone: AbortSignal,
) => Promise<E.Either<ApiError | LostAsset, Buffer>>;

export type StillsAddress = { readonly url: string | undefined; readonly secret: string | undefined };

/** Shorter than the gateway's timeout for an answer. */
const TIMEOUT_MS = 30_000;
const RETRY_AFTER_S = 2;
const NOT_CONFIGURED_RETRY_S = 60;

const Refusal = t.type({ error: t.string, fault: t.union([StillFault, t.undefined]) });

const unavailable = (message: string, retry_after_s = RETRY_AFTER_S): ApiError => ({
  ...{ tag: 'unavailable', message },
  retry_after_s,
});

const NO_ANSWER = unavailable('the stills service is unavailable; try again');

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const refusalOf = async (answer: Response): Promise<ApiError | LostAsset> => {
  const body = Refusal.decode(json(await answer.text()));
  if (E.isLeft(body)) return NO_ANSWER;
  const { error, fault } = body.right;
  const retry_after_s = Number(answer.headers.get('retry-after') ?? RETRY_AFTER_S);
  if (answer.status === 429) return { tag: 'rate_limited', message: error, retry_after_s };
  if (fault?.tag === 'asset_lost') return fault;
  if (fault?.tag === 'refused') return { tag: 'invalid', message: error };
  return answer.status === 503 ? unavailable(error, retry_after_s) : NO_ANSWER;
};

export const openStillsService = ({ url, secret }: StillsAddress, logger: Logger): StillsService => {
  const warn = throttledWarn(logger);
  if (url === undefined || secret === undefined)
    return async () =>
      E.left(
        unavailable(
          'this installation draws no stills: STILLS_URL and STILLS_SECRET are not set',
          NOT_CONFIGURED_RETRY_S,
        ),
      );
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
  return async (still, gone) => {
    try {
      const signal = AbortSignal.any([gone, AbortSignal.timeout(TIMEOUT_MS)]);
      const body = JSON.stringify(still);
      const answer = await fetch(`${url}${COMPOSED_STILLS_PATH}`, { method: 'POST', headers, body, signal });
      if (answer.ok) return E.right(Buffer.from(await answer.arrayBuffer()));
      const refused = await refusalOf(answer);
      if (refused === NO_ANSWER) warn({ status: answer.status }, 'the stills service refused a request');
      return E.left(refused);
    } catch (error) {
      if (!gone.aborted) warn({ error }, 'the stills service did not answer');
      return E.left(NO_ANSWER);
    }
  };
};
