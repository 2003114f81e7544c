import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../domain/event/meta.ts';
import type { CancelRender } from '../../render-commands/cancel-render.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { renderSummary } from './shown-render.ts';

/** All members may cancel, because all members may request renders. */
export const cancelTeamRender =
  ({ cancel }: { readonly cancel: CancelRender }): TeamHandler =>
  async (request, { person, team }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const cancelled = await cancel(request, {
      render_id: request.params.render_id ?? '',
      actor: actor('user', person.user_id),
      reach: { account_id: team.account_id, teams: new Set([team.id]) },
    });
    if (E.isLeft(cancelled)) return cancelled;
    const { status, render } = cancelled.right;
    return E.right({ status, body: renderSummary(render) });
  };
