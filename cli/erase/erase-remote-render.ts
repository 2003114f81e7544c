import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { CommandContext } from '../commands/command.ts';
import type { ApiClient, ApiResult } from '../http/api-client.ts';
import { ask } from '../http/requests.ts';

const LOOK_EVERY_MS = 1_000;
const HTTP_CONFLICT = 409;

const ErasedRender = t.type({ id: t.string, name_in_log: t.boolean });
export type RemoteErasedRender = t.TypeOf<typeof ErasedRender>;

/** Erases a render as the person who is logged in. First waits until the render has ended, or until Ctrl-C. */
export const eraseRemoteRender = async (
  { stderr, stop }: Pick<CommandContext, 'stderr' | 'stop'>,
  { client, team_id }: { readonly client: ApiClient; readonly team_id: string },
  render_id: string,
  look_every_ms = LOOK_EVERY_MS,
): ApiResult<RemoteErasedRender> => {
  const path = `/manage/v1/teams/${encodeURIComponent(team_id)}/renders/${encodeURIComponent(render_id)}/erase`;
  for (let last_reported: string | null = null; ; ) {
    const erased = await ask(client, ErasedRender, { path, body: {} });
    if (E.isRight(erased) || erased.left.tag !== 'http' || erased.left.status !== HTTP_CONFLICT) return erased;
    const { message } = erased.left;
    if (message !== last_reported) stderr.write(`waiting: ${message}\n`);
    last_reported = message;
    await wait(look_every_ms, undefined, { signal: stop }).catch(() => undefined);
    if (stop.aborted) return E.left({ tag: 'interrupted' });
  }
};
