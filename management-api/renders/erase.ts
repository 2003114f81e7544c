import * as E from 'fp-ts/lib/Either.js';
import { actor } from '../../domain/event/meta.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { NOT_APPENDED_ERROR } from '../../platform/records/nothing-happened.ts';
import { absentRenderError } from '../../read-models/renders/absent-render.ts';
import type { RenderFinder } from '../../read-models/renders/render-finder.ts';
import type { EraseRefusal, RenderErasure, RenderErasureResult } from '../../render-commands/erase-render.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_RENDER } from './render-in-team.ts';

export type TeamRenderErasureDependencies = {
  readonly findRender: RenderFinder;
  readonly erase: (erasure: RenderErasure) => Promise<E.Either<EraseRefusal, RenderErasureResult>>;
};

const RETRY_AFTER_S = 1;

const unavailable = (message: string): ApiError => ({ tag: 'unavailable', message, retry_after_s: RETRY_AFTER_S });

const errorOf = (refusal: EraseRefusal): ApiError => {
  switch (refusal.tag) {
    case 'absent':
      return NO_RENDER;
    case 'not_final':
      return {
        tag: 'conflict',
        message: `the render is ${refusal.status}: cancel it or wait until it ends, then erase it`,
      };
    case 'unknown_version':
      return unavailable('this server is too old for the render; nothing was changed, try again');
    case 'not_appended':
      return NOT_APPENDED_ERROR;
    case 'outcome_unknown':
    case 'not_folded':
      return {
        ...{ tag: 'unavailable', code: 'outcome_unknown', retry_after_s: RETRY_AFTER_S },
        message: 'the outcome is unknown: the render may have been erased; try again',
      };
  }
};

/** Erases a render. Only admins may do this, because it is irreversible. */
export const eraseTeamRender =
  ({ findRender, erase }: TeamRenderErasureDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const render_id = request.params.render_id ?? '';
    const found = await findRender(render_id, { account_id: team.account_id, teams: new Set([team.id]) });
    // Continues without a render, because it may be erased already; a repeat gets the answer of the first request.
    if (found.tag === 'not_yet') return E.left(absentRenderError(found));
    const erased = await erase({
      render_id,
      actor: actor('user', person.user_id),
      correlation_id: request.id,
      team_id: team.id,
    });
    if (E.isLeft(erased)) return E.left(errorOf(erased.left));
    return E.right({ status: 200, body: { id: render_id, name_in_log: erased.right.name_in_log } });
  };
