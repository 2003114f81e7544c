import type { Render as RenderState } from '../../../domain/render/render.ts';
import type { Render } from './renders.ts';

/** @param output signed URLs by variant; null leaves them out */
export const renderResource = (render: RenderState, output: Readonly<Record<string, string>> | null): Render => ({
  id: render.id,
  name: render.name,
  status: render.status,
  type: render.type,
  project: { id: render.project_id, team: render.team_id },
  ...(output !== null && { output }),
  created_by: render.created_by,
  created_at: render.created_at,
  updated_at: render.updated_at,
});

/** @param id contains nothing that must be escaped */
export const renderPath = (id: string): string => `/v1/renders/${id}`;

/** The `Link` header to the history of a render, which the resource itself does not contain. */
export const transitionsLink = (id: string): string => `<${renderPath(id)}/transitions>; rel="describedby"`;
