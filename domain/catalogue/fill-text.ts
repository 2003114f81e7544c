import type { SaltedPayload } from '../event/payload.ts';
import { assetKeysOf } from './asset-keys.ts';
import type { Project, ProjectVersion } from './entities.ts';

export type ProjectText =
  | { readonly tag: 'name'; readonly name: string; readonly payload: SaltedPayload }
  | {
      readonly tag: 'document';
      readonly name: string;
      readonly document: string;
      readonly document_sha256: string;
      readonly payload: SaltedPayload;
    };

export type FilledEntities = { readonly project: Project | null; readonly version: ProjectVersion | null };

const NOTHING: FilledEntities = { project: null, version: null };

/**
 * Fills in a payload text that arrived after the fold of its event. The result is the same as if the text had arrived
 * in time: only the newest version sets the project's name.
 *
 * @param version the version of the document; null for the name from the project's creation
 */
export const fillText = (
  project: Project | null,
  version: ProjectVersion | null,
  text: ProjectText,
): FilledEntities => {
  if (project === null || project.erased !== undefined) return NOTHING;
  const { name, payload } = text;
  if (text.tag === 'name') {
    const is_newest = project.version === 0;
    return {
      project: { ...project, ...(is_newest ? { name } : {}), created_with: { ...payload, name } },
      version: null,
    };
  }
  if (version === null) return NOTHING;
  const { document, document_sha256 } = text;
  const asset_keys = assetKeysOf(project.team_id, document);
  return {
    project: project.version === version.version ? { ...project, name } : null,
    version: { ...version, document, document_sha256, payload, ...(asset_keys.length === 0 ? {} : { asset_keys }) },
  };
};
