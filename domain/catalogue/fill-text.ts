import type { SaltedPayload } from '../event/payload.ts';
import type { Project, ProjectVersion } from './entities.ts';

/** What the payload of a project's event holds. */
export type ProjectText =
  | { readonly tag: 'name'; readonly name: string; readonly payload: SaltedPayload }
  | {
      readonly tag: 'document';
      readonly name: string;
      readonly document: string;
      readonly document_sha256: string;
      readonly payload: SaltedPayload;
    };

/** The entities that a text changes. */
export type Filled = { readonly project: Project | null; readonly version: ProjectVersion | null };

const NOTHING: Filled = { project: null, version: null };

/**
 * A project after a text that its fold went on without: as the fold leaves it where the text is there in time, whichever
 * events came since. The newest version names a project, so the text of an older one does not. Nothing is filled into what
 * was erased.
 *
 * @param version the version whose document it is; null for the name that the project was created with
 */
export const fillText = (project: Project | null, version: ProjectVersion | null, text: ProjectText): Filled => {
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
  return {
    project: project.version === version.version ? { ...project, name } : null,
    version: { ...version, document, document_sha256, payload },
  };
};
