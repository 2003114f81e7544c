import type { Reply } from '../../platform/http-server/replies.ts';
import { type Accepted, createdRender } from '../../render-commands/requesting/answers.ts';
import { renderPath, transitionsLink } from '../../schemas/http/render-addresses.ts';
import { renderResource } from '../../schemas/http/render-resource.ts';

/** The render as it was created, whatever happened to it since. */
export const createdAnswer = (accepted: Accepted): Reply => {
  const render = createdRender(accepted);
  const { ignored } = accepted;
  return {
    status: 201,
    body: renderResource(render, null),
    headers: {
      Location: renderPath(render.id),
      Link: transitionsLink(render.id),
      'Cache-Control': 'private, no-store',
      ...(ignored !== null && { 'Ignored-Values': ignored }),
    },
  };
};
