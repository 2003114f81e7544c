import type { Render } from '../../../../domain/render/render.ts';

/** A render in a list of the management interface. */
export const listedRenderResource = (render: Render) => {
  const { id, name, status, type, project_id, template_id, created_by, created_at, updated_at, failure } = render;
  const failed_as = failure?.code ?? null;
  return { id, name, status, type, project_id, template_id, created_by, created_at, updated_at, failed_as };
};

/** A render by itself. What became of it is told by its transitions. */
export const managedRenderResource = (render: Render) => ({
  ...listedRenderResource(render),
  project_version: render.project_version,
  reserved_credits: render.reserved_credits,
  charged_credits: render.charged_credits,
  variants: render.outputs.map(({ variant }) => variant),
  attempts: render.attempts.map(({ n, worker_id, lost, finished }) => ({ n, worker_id, lost, finished })),
});
