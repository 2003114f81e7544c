import type { AnyRecord } from '../../schemas/any-record.ts';

/**
 * Removes texts that may name a person. Records of earlier versions have such texts, and a copy of the log would keep
 * them after an erasure. Removes boxes too, because they are long, and unreadable without their keys.
 */
export const withoutPersonalTexts = <R extends AnyRecord>(record: R): R => {
  switch (record.type) {
    case 'RenderRequested':
      return { ...record, name: '', sealed: record.sealed === null ? null : { ...record.sealed, box: '' } };
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
