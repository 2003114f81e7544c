import * as E from 'fp-ts/lib/Either.js';
import { hasScope } from '../../domain/access/scopes.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { reportIgnoredMembers } from '../../platform/access/ignored-input.ts';
import { drawStill, type StillDependencies } from '../../render-commands/stills/draw-still.ts';
import { STILL_BODY_MEMBERS } from '../../schemas/http/public/stills.ts';
import { isObject } from '../../schemas/http/shapes.ts';
import { type CheckDependencies, documentReaderFor } from '../projects/check-project.ts';
import { NO_SCOPE } from '../projects/project-writer.ts';

export type PostStillDependencies = CheckDependencies & StillDependencies;

/**
 * Every key may draw the projects that it may render. A document needs the scope, as in a request of a render. It can
 * show each file of the teams, also one that no project shows.
 */
export const postStill =
  (parts: PostStillDependencies): AuthenticatedHandler =>
  async (request, access) => {
    const body = await request.json();
    if (E.isLeft(body)) return body;
    reportIgnoredMembers(request, STILL_BODY_MEMBERS, body.right);
    const has_document = isObject(body.right) && (body.right.project ?? null) !== null;
    if (has_document && !hasScope(access, 'projects:write')) return E.left(NO_SCOPE);
    const drawn = await drawStill(parts, documentReaderFor(parts, access), request, body.right);
    if (E.isLeft(drawn)) return drawn;
    const { bytes, format, ignored } = drawn.right;
    const headers = {
      ...{ 'Content-Type': `image/${format}`, 'Cache-Control': 'private, no-store' },
      ...(ignored !== null && { 'Ignored-Values': ignored }),
    };
    return E.right({ status: 200, body: null, bytes, headers });
  };
