import { createHash } from 'node:crypto';
import type { Entity, EntityRef } from '../../domain/catalogue/entities.ts';
import { auditDocument } from '../../read-models/audit/codec.ts';
import { entityOfDocument } from '../../read-models/catalogue/codec.ts';
import type { EntityDocument } from '../../read-models/catalogue/documents.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { foldCatalogue, referencedEntities } from '../catalogue/fold-batch.ts';

export const entityKey = ({ kind, id }: EntityRef): string => `${kind} ${id}`;

/** An entity as the log has it. The text of a project is large, so only its hash is kept. */
export type FoldedEntity = { readonly document: EntityDocument; readonly text_sha256: string | null };

export const foldedEntity = (document: EntityDocument): FoldedEntity => {
  if (document.kind !== 'project_version' || document.document === null) return { document, text_sha256: null };
  const text_sha256 = createHash('sha256').update(document.document).digest('hex');
  return { document: { ...document, document: null }, text_sha256 };
};

export const createCatalogueFold = (form: DocumentForm) => {
  const entities = new Map<string, FoldedEntity>();
  const find = (refs: readonly EntityRef[]): readonly Entity[] =>
    refs.flatMap((ref) => {
      const known = entities.get(entityKey(ref));
      return known === undefined ? [] : [entityOfDocument(known.document)];
    });
  return {
    entities,
    add: (entries: Parameters<typeof foldCatalogue>[2]) => {
      let loaded = referencedEntities(entries);
      for (;;) {
        const { after, stop, missing } = foldCatalogue(loaded, find(loaded), entries);
        if (missing.length > 0) {
          loaded = [...loaded, ...missing];
          continue;
        }
        if (stop !== null) throw new Error(`cannot fold on: ${stop}`);
        for (const document of after.changed.map(form.entity))
          entities.set(entityKey({ kind: document.kind, id: document._id }), foldedEntity(document));
        for (const { kind, ids } of after.dropped) for (const id of ids) entities.delete(entityKey({ kind, id }));
        return { audit: after.audit.map((entry) => form.audit(auditDocument(entry))), ignored: after.ignored };
      }
    },
  };
};
