import type { ApiError } from '../../platform/http-server/api-error.ts';
import { authorOf } from '../../schemas/http/public/project-changes.ts';
import type { ProjectWriteFault } from '../documents/write-fault.ts';
import { catalogueError } from './catalogue-error.ts';
import { uploadError } from './upload-error.ts';

/** `error` names the first fault; `faults` has all of them. */
const documentError = (
  member: string,
  faults: Extract<ProjectWriteFault, { tag: 'document_refused' }>['faults'],
): ApiError => {
  const [first = { path: '', message: 'is not valid' }, ...others] = faults;
  const more = others.length === 0 ? '' : `; and ${others.length} more ${others.length === 1 ? 'fault' : 'faults'}`;
  const param = first.path === '' ? member : `${member}.${first.path}`;
  return { tag: 'invalid', code: 'invalid_document', param, message: `${param}: ${first.message}${more}`, faults };
};

const outdatedError = ({ version, added_by, added_at }: Extract<ProjectWriteFault, { tag: 'outdated' }>): ApiError => {
  const changed_by = authorOf(added_by);
  const by = changed_by === null ? 'was added' : `${changed_by} added`;
  const at = added_at === null ? '' : `, which ${by} at ${new Date(added_at).toISOString().slice(0, 19)}Z`;
  return {
    ...{ tag: 'precondition_failed', param: 'If-Match' },
    message: `If-Match: the newest version is ${version}${at}; read it, and apply your change to it`,
    ...{ version, changed_by, changed_at: added_at },
  };
};

const PENDING_S = 2;

type KeyCode = 'idempotency_key_reused' | 'idempotency_key_taken';

const used = (message: string, code: KeyCode = 'idempotency_key_reused'): ApiError => ({
  ...{ tag: 'conflict_of_idempotency', code, param: 'Idempotency-Key' },
  message: `Idempotency-Key: ${message}; use a new key for a new request`,
});

/** @param member the member of the request that has the document */
export const projectError = (fault: ProjectWriteFault, member = 'document'): ApiError => {
  switch (fault.tag) {
    case 'document_refused':
      return documentError(member, fault.faults);
    case 'assets_pending': {
      const urls = fault.pending === 1 ? 'a URL is' : `${fault.pending} URLs are`;
      return {
        ...{ tag: 'conflict', code: 'assets_pending', param: `${member}.assets`, retry_after_s: PENDING_S },
        message: `${member}.assets: ${urls} still being fetched; send the same request again`,
      };
    }
    case 'fetch_refused':
      return uploadError(fault.fault);
    case 'key_reused':
      return used('was used with another body');
    case 'key_taken':
      return used('is taken in this account', 'idempotency_key_taken');
    case 'key_of_erased':
      return used('was used for a project that is erased');
    case 'outdated':
      return outdatedError(fault);
    case 'too_many_versions':
      return {
        ...{ tag: 'conflict', code: 'limit_reached' },
        message: `the project has ${fault.most} versions, the maximum; copy it, and change the copy`,
      };
    case 'no_version':
      return { tag: 'conflict', message: 'the project has no version yet: add one first' };
    case 'version_missing':
      return { tag: 'not_found', param: 'version', message: 'there is no such version' };
    case 'blob_failed':
      return { tag: 'unavailable', message: 'the blob store is unavailable; try again', retry_after_s: 5 };
    default:
      return catalogueError(fault);
  }
};
