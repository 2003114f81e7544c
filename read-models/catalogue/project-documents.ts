import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { faultText } from '../../domain/composition/fault.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../domain/composition/project-document.ts';
import type { Catalogue } from './catalogue.ts';

/** The maximum size of the cached documents, in characters of their JSON. */
const MAX_KEPT_CHARACTERS = 16 * 1024 * 1024;

/** Rejects if the document is missing or invalid, or on store outage. */
export type ProjectDocuments = (project_id: string, version: number) => Promise<ProjectDocument>;

type Version = { readonly project_id: string; readonly version: number };

/** A version never changes, so the cache never expires. */
export const openProjectDocuments = (catalogue: Pick<Catalogue, 'projectVersion'>): ProjectDocuments => {
  const load = async (
    id: string,
    _stale: unknown,
    { context: { project_id, version } }: { readonly context: Version },
  ) => {
    const found = await catalogue.projectVersion(project_id, version);
    if (found === null) throw new Error(`the read model refers to ${id} but does not have it`);
    const decoded = decodeProjectDocument(JSON.parse(found));
    if (E.isLeft(decoded)) throw new Error(`${id} is stored but invalid: ${decoded.left.map(faultText).join('; ')}`);
    return { document: decoded.right, characters: found.length };
  };
  const kept = new LRUCache<string, { readonly document: ProjectDocument; readonly characters: number }, Version>({
    maxSize: MAX_KEPT_CHARACTERS,
    sizeCalculation: ({ characters }) => characters,
    fetchMethod: load,
  });

  return async (project_id, version) => {
    const loaded = await kept.fetch(projectVersionId(project_id, version), { context: { project_id, version } });
    if (loaded === undefined) throw new Error('a loaded document is missing from the cache');
    return loaded.document;
  };
};
