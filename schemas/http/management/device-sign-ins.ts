import type * as t from 'io-ts';
import type { Response } from '../openapi.ts';
import { definitionsOf, integer, oneOf, orNull, resource, text, timeOrNull } from '../shapes.ts';
import { contract, exampleBody, jsonResponse } from './operation.ts';
import { headers, refusal, WRITE_RESPONSES } from './responses.ts';

const MAX_DEVICE_CODE = 2_048;

const DEVICE_CODE = text('The secret with which the program asks for the result.', {
  ...{ minLength: 1, maxLength: MAX_DEVICE_CODE },
});

const interval = (description: string) => integer(description, { minimum: 1 });

const DeviceSignIn = resource('DeviceSignIn', 'A sign-in that a person approves in a browser.', {
  device_code: DEVICE_CODE,
  user_code: text('The code that the person compares or enters.'),
  verification_uri: text('The page of the identity provider, for any browser.'),
  expires_in_s: integer('How many seconds the person has to approve.', { minimum: 0 }),
  interval_s: interval('How many seconds the program waits before each request for the result.'),
});

export const DeviceCode = resource('DeviceCode', 'The sign-in to finish.', { device_code: DEVICE_CODE });

const DeviceSignInResult = resource('DeviceSignInResult', 'The state of a sign-in.', {
  state: oneOf(['pending', 'signed_in'], '`pending`: the person has not approved yet.'),
  interval_s: orNull(interval(''), 'How many seconds to wait before the next request; null after the sign-in.'),
  token: orNull(
    text('', { pattern: '^vrs_.' }),
    'The session, for `Authorization: Bearer`. It is shown once; null while pending.',
  ),
  expires_at: timeOrNull('When the session ends at the latest', 'null while pending'),
});
export type DeviceSignInResult = t.TypeOf<typeof DeviceSignInResult>;

export const DEVICE_SIGN_IN_SCHEMAS = definitionsOf([DeviceSignIn, DeviceCode, DeviceSignInResult]);

/** Without a session, the API does not limit the rate. */
const withoutRate = (response: Response): Response => ({ ...response, headers: headers() });

const CODE = 'nJ8d0xq2Ww5yV7fKzR3hTc6bLm1pGs4a';

const tag = 'Sessions';

export const DEVICE_SIGN_INS = contract({
  'POST /manage/v1/device-sign-ins': {
    ...{ guard: 'open', id: 'beginDeviceSignIn', tag, summary: 'Begin a sign-in of a program' },
    description:
      'For programs such as `renderctl`; browsers get 403. The person opens `verification_uri` and enters `user_code` (RFC 8628).',
    answers: {
      201: withoutRate(
        jsonResponse('The sign-in has begun.', DeviceSignIn, {
          ...{ device_code: CODE, user_code: 'WDJB-MJHT', verification_uri: 'https://id.example.com/device' },
          ...{ expires_in_s: 600, interval_s: 5 },
        }),
      ),
    },
    refusals: {
      ...WRITE_RESPONSES,
      409: refusal(
        'The identity provider offers no device flow to this service.',
        'conflict',
        'the identity provider (OIDC_ISSUER_URL) offers no device flow to this service',
      ),
    },
  },
  'POST /manage/v1/device-sign-ins/poll': {
    ...{ guard: 'open', id: 'pollDeviceSignIn', tag, summary: 'Ask for the result of a sign-in' },
    description:
      'After the approval it begins a session and returns its token, once. A request before `interval_s` has passed gets `pending`. An expired, used or unknown code gets 400, a denial 403.',
    body: exampleBody(DeviceCode, { device_code: CODE }),
    answers: {
      200: withoutRate(
        jsonResponse('The state.', DeviceSignInResult, {
          ...{ state: 'pending', interval_s: 5, token: null, expires_at: null },
        }),
      ),
    },
    refusals: WRITE_RESPONSES,
  },
});
