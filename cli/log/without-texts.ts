import type { AnyRecord } from '../../schemas/any-record.ts';

/**
 * Removes texts that may name a person. Records of earlier versions have such texts, and a copy of the log would keep
 * them after an erasure.
 */
export const withoutPersonalTexts = <R extends AnyRecord>(record: R): R => {
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
