import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { CompleteUploadFault } from '../uploads/complete-upload.ts';
import type { UploadFault } from '../uploads/create-upload.ts';

/** @param param the parameter that names the upload */
export const noUploadError = (param: string): ApiError => ({
  ...{ tag: 'not_found', param, message: 'there is no such upload' },
});

export const uploadError = (fault: UploadFault): ApiError => {
  switch (fault.tag) {
    case 'invalid':
      return {
        ...{ tag: 'invalid', code: 'invalid_field', param: fault.param },
        message: `${fault.param}: ${fault.message}`,
      };
    case 'missing':
      return noUploadError('upload_id');
    case 'other_facts':
      return {
        ...{ tag: 'conflict_of_idempotency', code: 'idempotency_key_reused' },
        message: 'the upload was created for another file: create a new one',
      };
    case 'too_many':
      return {
        tag: 'rate_limited',
        code: 'too_many_uploads',
        message: fault.message,
        retry_after_s: fault.retry_after_s,
        ...(fault.param !== undefined && { param: fault.param }),
      };
  }
};

/** @param param the parameter that names the upload */
export const completeUploadError = (fault: CompleteUploadFault, param: string): ApiError =>
  fault.tag === 'missing'
    ? noUploadError(param)
    : { tag: 'conflict', code: 'upload_incomplete', message: fault.message };
