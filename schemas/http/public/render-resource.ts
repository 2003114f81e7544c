import type { Render as RenderState } from '../../../domain/render/render.ts';
import type { Render } from './renders.ts';

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

export const renderPath = (id: string): string => `/v1/renders/${id}`;

export const transitionsLink = (id: string): string => `<${renderPath(id)}/transitions>; rel="describedby"`;
