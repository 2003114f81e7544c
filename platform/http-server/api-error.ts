import type { Fault as DocumentFault } from '../../domain/composition/fault.ts';
import type { ERROR_CODES, ErrorCode, InputFault } from '../../schemas/http/error-codes.ts';

/** The only mapping from an error to a status. */
export const STATUS_OF = {
  invalid: 400,
  unauthenticated: 401,
  signed_out: 401,
  payment_required: 402,
  forbidden: 403,
  fresh_sign_in_needed: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_type: 415,
  conflict_of_idempotency: 422,
  precondition_required: 428,
  rate_limited: 429,
  headers_too_large: 431,
  unavailable: 503,
  internal: 500,
} as const;

type Tag = keyof typeof STATUS_OF;

/** The codes whose answers may have this status. */
type CodeWith<S extends number> = {
  readonly [C in ErrorCode]: S extends (typeof ERROR_CODES)[C]['statuses'][number] ? C : never;
}[ErrorCode];

type Fault<T extends Tag> = {
  readonly tag: T;
  /** For the client: it names the field and the fault. */
  readonly message: string;
  /** By default, the general code of the tag. */
  readonly code?: CodeWith<(typeof STATUS_OF)[T]>;
  /** The path of a member of the body, or the name of a parameter or header that is at fault. */
  readonly param?: string;
};

export type ApiError =
  /** `faults` has each fault of a document. */
  | (Fault<'invalid'> & { readonly faults?: readonly DocumentFault[] })
  | Fault<'unauthenticated'>
  /** The request has no session of a user. */
  | Fault<'signed_out'>
  | Fault<'payment_required'>
  | Fault<'forbidden'>
  /** The user must sign in again to confirm their identity. */
  | Fault<'fresh_sign_in_needed'>
  | Fault<'not_found'>
  | (Fault<'method_not_allowed'> & { readonly allow: readonly string[] })
  /** `retry_after_s` if the same request can succeed later. */
  | (Fault<'conflict'> & { readonly retry_after_s?: number })
  /** The caller knows an older version. */
  | (Fault<'precondition_failed'> & {
      readonly version: number;
      readonly changed_by: string | null;
      readonly changed_at: number | null;
    })
  | Fault<'precondition_required'>
  | Fault<'too_large'>
  | Fault<'unsupported_type'>
  | Fault<'conflict_of_idempotency'>
  | (Fault<'rate_limited'> & { readonly retry_after_s: number })
  | Fault<'headers_too_large'>
  | (Fault<'unavailable'> & { readonly retry_after_s: number })
  | Fault<'internal'>;

const GENERAL_CODE: { readonly [T in Tag]: CodeWith<(typeof STATUS_OF)[T]> } = {
  invalid: 'invalid_request',
  unauthenticated: 'invalid_api_key',
  signed_out: 'signed_out',
  payment_required: 'not_enough_credits',
  forbidden: 'forbidden',
  fresh_sign_in_needed: 'fresh_sign_in_needed',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  conflict: 'conflict',
  precondition_failed: 'outdated_version',
  too_large: 'body_too_large',
  unsupported_type: 'unsupported_media_type',
  conflict_of_idempotency: 'idempotency_key_reused',
  precondition_required: 'precondition_required',
  rate_limited: 'rate_limited',
  headers_too_large: 'headers_too_large',
  unavailable: 'unavailable',
  internal: 'internal_error',
};

export const invalidInput = (fault: InputFault): ApiError => ({ tag: 'invalid', ...fault });

const ownHeaders = (error: ApiError): Readonly<Record<string, string>> => {
  switch (error.tag) {
    case 'unauthenticated':
      return { 'WWW-Authenticate': 'Bearer' };
    case 'signed_out':
      return { 'WWW-Authenticate': 'Cookie' };
    case 'method_not_allowed':
      return { Allow: error.allow.join(', ') };
    case 'rate_limited':
    case 'unavailable':
      return { 'Retry-After': String(error.retry_after_s) };
    case 'conflict':
      return error.retry_after_s === undefined ? {} : { 'Retry-After': String(error.retry_after_s) };
    default:
      return {};
  }
};

/** Caches may store some errors, such as 404, unless the answer forbids it. The next answer may be another. */
export const UNCACHED = { 'Cache-Control': 'no-store' } as const;

export const errorHeadersOf = (error: ApiError): Readonly<Record<string, string>> => ({
  ...UNCACHED,
  ...ownHeaders(error),
});

const SIGN_IN = '/manage/v1/sign-in';

type ErrorBody = {
  readonly error: string;
  readonly code: ErrorCode;
  readonly param?: string;
  /** The address to sign in, only for the codes that ask for it. */
  readonly sign_in?: string;
};

/** The body of an answer that no `ApiError` describes, for example on a bare socket. */
export const errorBody = (code: ErrorCode, error: string): ErrorBody => ({ error, code });

/** Members that only errors of this tag have. */
const ownMembers = (error: ApiError): Readonly<Record<string, unknown>> => {
  switch (error.tag) {
    case 'invalid':
      return error.faults === undefined ? {} : { faults: error.faults };
    case 'precondition_failed': {
      const { version, changed_by, changed_at } = error;
      return { version, changed_by, changed_at };
    }
    case 'signed_out':
      return { sign_in: SIGN_IN };
    case 'fresh_sign_in_needed':
      return { sign_in: `${SIGN_IN}?fresh=true` };
    default:
      return {};
  }
};

export const errorBodyOf = (error: ApiError): ErrorBody => {
  const { tag, message, code = GENERAL_CODE[tag], param } = error;
  return { ...errorBody(code, message), ...(param !== undefined && { param }), ...ownMembers(error) };
};
