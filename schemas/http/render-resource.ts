import type { Render } from '../../domain/render/render.ts';

/** The Render of the interface specification. `output` only once complete: variant name to signed URL. */
export type RenderResource = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly type: string;
  readonly project: { readonly id: string; readonly team: string };
  readonly output?: Readonly<Record<string, string>>;
  readonly created_by: string | null;
  readonly created_at: number;
  readonly updated_at: number | null;
};

/** @param output signed URLs by variant; left out of the resource when null */
export const renderResource = (render: Render, output: Readonly<Record<string, string>> | null): RenderResource => ({
  id: render.id,
  name: render.name,
  status: render.status,
  type: render.type,
  project: { id: render.project_id, team: render.team_id },
  ...(output === null ? {} : { output }),
  created_by: render.created_by,
  created_at: render.created_at,
  updated_at: render.updated_at,
});
