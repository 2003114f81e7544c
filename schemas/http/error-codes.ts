type Explained = {
  /** The statuses of answers with this code. */
  readonly statuses: readonly number[];
  /** Only answers of the management API have the code. */
  readonly only_management?: true;
  readonly meaning: string;
};

/** All codes of error bodies, by status. A code never changes its meaning, and is never removed. */
export const ERROR_CODES = {
  invalid_request: { statuses: [400], meaning: 'The request is not valid, but no single part is at fault.' },
  malformed_request: { statuses: [400], meaning: 'The address or the HTTP itself is not valid.' },
  invalid_json: { statuses: [400], meaning: 'The body is not JSON in UTF-8, empty, or cut off.' },
  invalid_field: { statuses: [400], meaning: 'The member of the body in `param` is missing or not valid.' },
  invalid_document: { statuses: [400], meaning: 'The document of a project is not valid. `faults` has each fault.' },
  invalid_parameter: { statuses: [400], meaning: 'The query parameter in `param` is missing or not valid.' },
  invalid_header: { statuses: [400], meaning: 'The header in `param` is not valid.' },
  invalid_cursor: { statuses: [400], meaning: 'The cursor is not from this list. Start again from the first page.' },
  missing_api_key: { statuses: [401], meaning: 'The header `Authorization` is missing.' },
  invalid_api_key: { statuses: [401], meaning: 'The key is malformed, unknown, revoked or expired.' },
  signed_out: {
    ...{ statuses: [401], only_management: true },
    meaning: 'The request has no session, or the session has ended. Open `sign_in` as a page.',
  },
  not_enough_credits: { statuses: [402], meaning: 'The account does not have enough credits for the render.' },
  scope_needed: { statuses: [403], meaning: 'The key lacks the scope that the operation needs.' },
  forbidden: {
    ...{ statuses: [403], only_management: true },
    meaning: 'The request is not allowed, for the reason in the message.',
  },
  role_needed: { statuses: [403], meaning: 'The person, or the user of the key, lacks the role.' },
  wrong_origin: {
    ...{ statuses: [403], only_management: true },
    meaning: 'The request does not come from a page of the service.',
  },
  fresh_sign_in_needed: {
    ...{ statuses: [403], only_management: true },
    meaning: 'The person must sign in again. Open `sign_in` as a page.',
  },
  not_found: {
    statuses: [404],
    meaning: 'The resource does not exist, or the caller has no access to it. `param` names the parameter with its ID.',
  },
  unknown_path: { statuses: [404], meaning: 'The path does not exist.' },
  method_not_allowed: { statuses: [405], meaning: 'The path does not have the method. `Allow` lists its methods.' },
  request_timeout: { statuses: [408], meaning: 'The request took too long to arrive.' },
  conflict: { statuses: [409], meaning: 'The current state does not allow it.' },
  limit_reached: { statuses: [409], meaning: 'A limit of the account is reached.' },
  render_ended: { statuses: [409], meaning: 'The render is complete or has failed already.' },
  render_not_cancellable: {
    statuses: [409],
    meaning: 'The render was requested before the service supported cancellation.',
  },
  assets_pending: {
    statuses: [409],
    meaning: 'URLs of the document are still being fetched. Send the same request again after `Retry-After`.',
  },
  asset_lost: {
    statuses: [409],
    meaning: 'The file of an asset is missing or damaged. Add a version with a new copy. `param` names the part.',
  },
  upload_incomplete: {
    statuses: [409],
    meaning: 'The bytes of the upload are missing, or have another size than `size_bytes`.',
  },
  outdated_version: {
    statuses: [412],
    meaning: 'The project has a newer version than `If-Match` names. `version` has its number.',
  },
  body_too_large: { statuses: [413], meaning: 'The body, or its framing, is too large.' },
  unsupported_media_type: { statuses: [415], meaning: 'The body is not plain JSON by its headers.' },
  expectation_failed: { statuses: [417], meaning: 'The server cannot meet the header `Expect`.' },
  idempotency_key_reused: {
    statuses: [422],
    meaning: 'The `Idempotency-Key` was used for another request, or for a render that is erased.',
  },
  idempotency_key_taken: {
    statuses: [422],
    meaning: 'The `Idempotency-Key` was used in a team of the account that the key does not reach.',
  },
  precondition_required: { statuses: [428], meaning: 'The header `If-Match` is missing.' },
  rate_limited: { statuses: [429], meaning: 'Too many requests or connections. Wait for `Retry-After`.' },
  too_many_waiting_renders: {
    statuses: [429],
    meaning: 'The account has too many renders that are neither complete nor failed.',
  },
  too_much_failed_work: {
    statuses: [429],
    meaning: 'Failed and cancelled renders of the account have used too much work in this hour.',
  },
  too_many_uploads: { statuses: [429], meaning: 'The account reaches a limit of uploads, or creates them too fast.' },
  headers_too_large: { statuses: [431], meaning: 'The headers are larger than 16 KiB.' },
  internal_error: { statuses: [500], meaning: 'A fault of the service. Report it with the request ID.' },
  outcome_unknown: {
    statuses: [502, 503],
    meaning: 'The request may have been executed. Repeat it with the same `Idempotency-Key`.',
  },
  no_answer: { statuses: [502], meaning: 'The backend did not answer a read. Try again.' },
  unavailable: { statuses: [503], meaning: 'A required server is unavailable. Nothing was changed. Try again.' },
  not_known_yet: { statuses: [503], meaning: 'The render is too new to be known. Try again in a moment.' },
} as const satisfies Readonly<Record<string, Explained>>;

export type ErrorCode = keyof typeof ERROR_CODES;

const EXPLAINED: Readonly<Record<ErrorCode, Explained>> = ERROR_CODES;

export const isErrorCode = (name: unknown): name is ErrorCode =>
  typeof name === 'string' && Object.hasOwn(ERROR_CODES, name);

export const ALL_CODES: readonly ErrorCode[] = Object.keys(ERROR_CODES).filter(isErrorCode);

/** The codes of `/v1`. */
export const PUBLIC_CODES: readonly ErrorCode[] = ALL_CODES.filter((code) => EXPLAINED[code].only_management !== true);

export const statusesOf = (code: ErrorCode): readonly number[] => EXPLAINED[code].statuses;

/** A table in Markdown. */
export const codeTable = (codes: readonly ErrorCode[]): string =>
  [
    '| Code | Status | Meaning |',
    '| --- | --- | --- |',
    ...codes.map((code) => `| \`${code}\` | ${statusesOf(code).join(', ')} | ${EXPLAINED[code].meaning} |`),
  ].join('\n');

/** Why a part of a request is not valid. */
export type InputFault = {
  readonly code: 'invalid_request' | 'invalid_field' | 'invalid_parameter' | 'invalid_header';
  /** For people. It names the part, and never contains the value. */
  readonly message: string;
  /** The path of a member of the body, or the name of a query parameter or a header; the first of several. */
  readonly param?: string;
};
