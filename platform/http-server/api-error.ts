import type { Fault } from '../../domain/composition/fault.ts';

/** `message` is for the client: it names the field and the fault. */
export type ApiError =
  /** `faults` has each fault of a document. */
  | { readonly tag: 'invalid'; readonly message: string; readonly faults?: readonly Fault[] }
  | { readonly tag: 'unauthenticated'; readonly message: string }
  /** The request has no session of a user. */
  | { readonly tag: 'signed_out'; readonly message: string }
  | { readonly tag: 'payment_required'; readonly message: string }
  | { readonly tag: 'forbidden'; readonly message: string }
  /** The user must sign in again to confirm their identity. */
  | { readonly tag: 'fresh_sign_in_needed'; readonly message: string }
  | { readonly tag: 'not_found'; readonly message: string }
  | { readonly tag: 'method_not_allowed'; readonly message: string; readonly allow: readonly string[] }
  | { readonly tag: 'conflict'; readonly message: string }
  /** The caller knows an older version. */
  | {
      readonly tag: 'precondition_failed';
      readonly message: string;
      readonly version: number;
      readonly changed_by: string | null;
      readonly changed_at: number | null;
    }
  | { readonly tag: 'precondition_required'; readonly message: string }
  | { readonly tag: 'too_large'; readonly message: string }
  | { readonly tag: 'unsupported_type'; readonly message: string }
  | { readonly tag: 'conflict_of_idempotency'; readonly message: string }
  | { readonly tag: 'rate_limited'; readonly message: string; readonly retry_after_s: number }
  | { readonly tag: 'headers_too_large'; readonly message: string }
  | { readonly tag: 'unavailable'; readonly message: string; readonly retry_after_s: number }
  | { readonly tag: 'internal'; readonly message: string };

/** The only mapping from an error to a status. */
export const STATUS_OF: { readonly [K in ApiError['tag']]: number } = {
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
};

export const errorHeadersOf = (error: ApiError): Readonly<Record<string, string>> => {
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
    default:
      return {};
  }
};

const SIGN_IN = '/manage/v1/sign-in';

/** If the dashboard can handle the error, the body has a code and a link. */
export const errorBodyOf = (error: ApiError): Readonly<Record<string, unknown>> => {
  switch (error.tag) {
    case 'invalid':
      return { error: error.message, ...(error.faults !== undefined && { faults: error.faults }) };
    case 'precondition_failed': {
      const { message, version, changed_by, changed_at } = error;
      return { error: message, version, changed_by, changed_at };
    }
    case 'signed_out':
      return { error: error.message, code: error.tag, sign_in: SIGN_IN };
    case 'fresh_sign_in_needed':
      return { error: error.message, code: error.tag, sign_in: `${SIGN_IN}?fresh=true` };
    default:
      return { error: error.message };
  }
};
