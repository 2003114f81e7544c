import type { AnyBulkWriteOperation } from 'mongodb';
import type { Render } from '../../domain/render/render.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { ProjectStillDocument } from '../../schemas/read-models/render-document.ts';
import type { StoredDocument } from '../checkpoint/projection.ts';

/** By project: the poster of the render that completed last in a run of one partition. */
export type Stills = ReadonlyMap<string, ProjectStillDocument>;

/** The still that a render gives its project by completing; null without a poster. */
export const stillOf = (
  render: Render,
  { partition, offset }: Pick<LogRecord, 'partition' | 'offset'>,
): ProjectStillDocument | null => {
  const { id: render_id, project_id, status, poster, updated_at, created_at } = render;
  if (status !== 'complete' || poster === null) return null;
  return {
    _id: `${project_id}/${partition}`,
    project_id,
    partition,
    offset,
    render_id,
    completed_at: updated_at ?? created_at,
    path: poster.path,
    content_type: poster.content_type,
  };
};

export const stillWrite = ({ _id, ...replacement }: ProjectStillDocument): AnyBulkWriteOperation<StoredDocument> => ({
  replaceOne: { filter: { _id }, replacement, upsert: true },
});
