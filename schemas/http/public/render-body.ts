import { namedShape, object, optional, text, withKeywords } from '../shapes.ts';
import { Document } from './project-changes.ts';
import { Name, ProjectId, RenderRequest, Values } from './render-request.ts';

export { Values };

const MAX_ID_UNITS = 128;

const { template_id, values, draft } = RenderRequest.members;

const MEMBERS = {
  name: Name,
  project_id: optional(ProjectId, null),
  project: optional(Document, null),
  team_id: optional(
    text('The team of the document. You may leave it out if the key reaches only one team. Only with `project`.', {
      ...{ minLength: 1, max_units: MAX_ID_UNITS },
    }),
    null,
  ),
  ...{ template_id, values, draft },
};

export const RENDER_BODY_MEMBERS: readonly string[] = Object.keys(MEMBERS);

/** The body of `POST /v1/renders`: a render of a project, or of a document, whose project the service creates. */
export const RenderBody = namedShape(
  'RenderRequest',
  withKeywords(
    object(
      'A render to create, of a project or of a document. Unknown members are ignored, and named in the header `Ignored-Members`.',
      MEMBERS,
    ),
    { anyOf: [{ required: ['project_id'] }, { required: ['project'] }] },
  ),
);
