import pLimit from 'p-limit';
import { unavailableOnOutage } from '../../platform/access/away.ts';
import type { CreateAnswer, RequestContext } from './create-render.ts';
import type { RequestRender } from './request-render.ts';
import type { Requester } from './requester.ts';

export type KeyedBody = { readonly body: unknown; readonly key: string };

/** Each render waits for the log and the fold, so several of them share their batches. */
const AT_ONCE = 8;

/**
 * Requests several renders. Each one is accepted or refused as if it were requested alone, and an outage refuses only
 * those that it meets.
 */
export const requestRenders =
  (requestRender: RequestRender) =>
  async (
    request: RequestContext,
    requester: Requester,
    wanted: readonly KeyedBody[],
  ): Promise<readonly Awaited<CreateAnswer>[]> => {
    const limit = pLimit(AT_ONCE);
    return await Promise.all(
      wanted.map(({ body, key }) =>
        limit(() => unavailableOnOutage(request, () => requestRender(request, requester, body, key))),
      ),
    );
  };
