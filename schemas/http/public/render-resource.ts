import type { Render as RenderState } from '../../../domain/render/render.ts';
import type { Failure, Render } from './renders.ts';

export const failureResource = ({ stage, code, message, field }: NonNullable<RenderState['failure']>): Failure => ({
  ...{ stage, code, message },
  ...(field !== null && { field }),
});

/** @param progress null if the status is not `processing`, or the progress is not known */
export const renderResource = (
  render: RenderState,
  output: Readonly<Record<string, string>> | null,
  progress: number | null = null,
): Render => ({
  id: render.id,
  name: render.name,
  status: render.status,
  type: render.type,
  project: { id: render.project_id, team: render.team_id },
  ...(output !== null && { output }),
  ...(progress !== null && { progress }),
  ...(render.failure !== null && { failure: failureResource(render.failure) }),
  created_by: render.created_by,
  created_at: render.created_at,
  updated_at: render.updated_at,
});

export const renderPath = (id: string): string => `/v1/renders/${id}`;

export const transitionsLink = (id: string): string => `<${renderPath(id)}/transitions>; rel="describedby"`;
