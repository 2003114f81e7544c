import * as E from 'fp-ts/lib/Either.js';
import { drawStill, type StillDependencies } from '../../render-commands/stills/draw-still.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { Route, RouteGuards, TeamHandler } from '../access/route-guards.ts';
import { documentReaderAt } from '../projects/check-project.ts';
import type { ProjectReadDependencies } from '../projects/read-versions.ts';
import type { ProjectWriteDependencies } from '../projects/write-projects.ts';

export type StillRouteDependencies = ProjectReadDependencies & ProjectWriteDependencies & StillDependencies;

/** All members of the team may draw stills, because each of them may render its projects. */
const drawTeamStill =
  (parts: StillRouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const drawn = await drawStill(parts, documentReaderAt(parts, at), request, body.right);
    if (E.isLeft(drawn)) return drawn;
    const { bytes, format } = drawn.right;
    return E.right({ status: 200, body: null, bytes, headers: { 'Content-Type': `image/${format}` } });
  };

export const stillRoutes = (guards: RouteGuards, parts: StillRouteDependencies): readonly Route[] => [
  guards.forTeamMember('POST', '/manage/v1/teams/{team_id}/stills', drawTeamStill(parts)),
];
