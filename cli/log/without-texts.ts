import type { AnyRecord } from '../../schemas/any-record.ts';

/**
 * A record without texts that may name a person. New records have no such texts, but old records keep them permanently,
 * and a copy of the log would survive an erasure.
 */
export const withoutTexts = <R extends AnyRecord>(record: R): R => {
  switch (record.type) {
    case 'RenderRequested':
    case 'ProjectCreated':
      return { ...record, name: '' };
    case 'ProjectVersionAdded':
      return { ...record, name: '', document: '', document_sha256: '' };
    case 'RenderFactAccepted':
      return { ...record, render: { ...record.render, name: '' } };
    default:
      return record;
  }
};
