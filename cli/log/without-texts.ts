import type { AnyRecord } from '../../schemas/any-record.ts';

/**
 * A record without what may name a person. New records have no such texts; those of before keep them for ever, and what is
 * copied from the log to somewhere else would outlive an erasure.
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
