import type { SaltedPayload } from '../event/payload.ts';
import { assetKeysOf } from './asset-keys.ts';
import { projectVersionId } from './entities.ts';
import type { CatalogueEventWithTexts, ProjectErased, ProjectThumbnailMade } from './events.ts';
import { isInline } from './inline-projects.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

type FoldedOf<T extends CatalogueEventWithTexts['type']> = Extract<CatalogueEventWithTexts, { type: T }>;

/** The payload of an event with its salt. Null if the event has its own texts; `missing` if the payload is deleted. */
const payloadRead = ({
  payload,
  salt,
}: FoldedOf<'ProjectCreated' | 'ProjectVersionAdded'>): SaltedPayload | null | 'missing' => {
  if (payload === null) return null;
  return salt === undefined ? 'missing' : { ...payload, salt };
};

export const projectCreated = (
  view: CatalogueView,
  event: FoldedOf<'ProjectCreated'>,
  at: number,
): CatalogueVerdict => {
  const { project_id: id, team_id, name, created_by } = event;
  if (view('project', id) !== null) return ignoredVerdict('already_exists');
  if (view('team', team_id) === null) return ignoredVerdict('team_unknown');
  const inline = isInline(event) ? ({ inline: true } as const) : {};
  const times = { created_at: at, updated_at: null };
  const fresh = { kind: 'project', id, team_id, created_by, ...times, version: 0, ...inline } as const;
  const read = payloadRead(event);
  if (read === 'missing') return acceptedVerdict({ ...fresh, name: null });
  return acceptedVerdict({ ...fresh, name, ...(read === null ? {} : { created_with: { ...read, name } }) });
};

export const versionAdded = (
  view: CatalogueView,
  event: FoldedOf<'ProjectVersionAdded'>,
  at: number,
): CatalogueVerdict => {
  const { project_id, version, base_version } = event;
  const project = view('project', project_id);
  if (project === null) return ignoredVerdict('project_unknown');
  if (project.erased !== undefined) return ignoredVerdict('project_erased');
  if (base_version !== project.version || version !== base_version + 1) return ignoredVerdict('base_version_outdated');
  const id = projectVersionId(project_id, version);
  const read = payloadRead(event);
  const { name, document, document_sha256 } =
    read === 'missing' ? { name: null, document: null, document_sha256: null } : event;
  const asset_keys = assetKeysOf(project.team_id, document);
  return acceptedVerdict(
    { ...project, name, version, updated_at: Math.max(at, project.updated_at ?? project.created_at) },
    {
      ...{ kind: 'project_version', id, project_id, version, document, document_sha256, created_at: at },
      ...(read === null || read === 'missing' ? {} : { payload: read }),
      added_by: event.meta.actor,
      ...(asset_keys.length === 0 ? {} : { asset_keys }),
    },
  );
};

/** Erases the project itself. Read models drop its versions and thumbnail, because no later event needs them. */
export const projectErased = (
  view: CatalogueView,
  { project_id, meta }: ProjectErased,
  at: number,
): CatalogueVerdict => {
  const found = view('project', project_id);
  if (found === null) return ignoredVerdict('project_unknown');
  if (found.erased !== undefined) return ignoredVerdict('already_erased');
  const { created_with: _, ...project } = found;
  return acceptedVerdict({ ...project, name: null, erased: { at, by: meta.actor, event_id: meta.event_id } });
};

/** The fold keeps the first still of a version. A still of an older version never replaces a newer one. */
export const thumbnailMade = (view: CatalogueView, event: ProjectThumbnailMade, at: number): CatalogueVerdict => {
  const { project_id, version, path, content_type, sha256, width, height } = event;
  const project = view('project', project_id);
  if (project === null) return ignoredVerdict('project_unknown');
  if (project.erased !== undefined) return ignoredVerdict('project_erased');
  if (version < 1 || version > project.version) return ignoredVerdict('version_unknown');
  const shown = view('project_thumbnail', project_id);
  if (shown !== null && shown.version === version) return ignoredVerdict('already_made');
  if (shown !== null && shown.version > version) return ignoredVerdict('newer_one_made');
  const still = { path, content_type, sha256, width, height };
  return acceptedVerdict({ kind: 'project_thumbnail', id: project_id, version, ...still, made_at: at });
};
