import * as E from 'fp-ts/lib/Either.js';
import type { Server } from 'restify';
import { unavailableOnOutage } from '../../platform/access/away.ts';
import { identityId } from '../../platform/access/identity-id.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { sha256Hex } from '../../platform/access/sha256.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Reply } from '../../platform/http-server/replies.ts';
import { type ApiRequest, addRoute, type Handler } from '../../platform/http-server/route.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { DeviceSignIns } from '../../read-models/sessions/device-sign-ins.ts';
import { DeviceCode, type DeviceSignInResult } from '../../schemas/http/management/device-sign-ins.ts';
import { decodeBody, readJsonObject } from '../access/json-object.ts';
import { programFault } from '../access/same-origin.ts';
import type { BeginBearerSession } from '../sessions/begin-session.ts';
import { type DeviceFault, type DeviceOutcome, faultText, type IdentityProvider } from './provider.ts';
import { BEHIND, faultAnswer, TOO_MANY, userAgentOf } from './routes.ts';

export type DeviceRouteDependencies = {
  readonly provider: Pick<IdentityProvider, 'beginDevice' | 'pollDevice'>;
  readonly device_sign_ins: Omit<DeviceSignIns, 'prepare'>;
  readonly beginBearerSession: BeginBearerSession;
  /** One bucket for all programs. */
  readonly device_limits: RateLimits;
  readonly isBehind: () => Promise<boolean>;
  readonly issuer: string;
  readonly identity_secret: string;
  readonly clock: Pick<Clock, 'now'>;
};

type Answer = Promise<E.Either<ApiError, Reply>>;
type Tell = (fault: DeviceFault) => void;

const MS_PER_S = 1_000;
/** RFC 8628, section 3.5: a `slow_down` adds this to the interval. */
const SLOWER_MS = 5_000;
const ALL_PROGRAMS = 'all';

const UNSUPPORTED: ApiError = {
  tag: 'conflict',
  message:
    'the identity provider (OIDC_ISSUER_URL) offers no device flow to this service: log in with an API key instead, or ask the operator to allow the device flow for OIDC_CLIENT_ID',
};

/** One message for all causes, so that attackers learn nothing. */
const OVER: ApiError = {
  ...{ tag: 'invalid', code: 'invalid_field', param: 'device_code' },
  message: 'device_code: this log-in has expired or was already used: log in again',
};

const NO_USER: ApiError = {
  ...{ tag: 'forbidden', code: 'role_needed' },
  message: 'you are not a user of this service yet: ask an owner or admin for an invitation',
};

const begin =
  ({ provider, device_sign_ins, device_limits, isBehind, clock }: DeviceRouteDependencies, tell: Tell) =>
  async (request: ApiRequest): Answer => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    if (!(await device_limits(ALL_PROGRAMS)).allowed) return E.left(TOO_MANY);
    if (await isBehind()) return E.left(BEHIND);
    const begun = await provider.beginDevice();
    if (E.isLeft(begun)) {
      tell(begun.left);
      return E.left(begun.left.tag === 'unsupported' ? UNSUPPORTED : faultAnswer(begun.left));
    }
    const { device_code, expires_in_s, interval_s } = begun.right;
    const now = clock.now();
    const sign_in = {
      ...{ created_at: now, expires_at: now + expires_in_s * MS_PER_S },
      ...{ interval_ms: interval_s * MS_PER_S, next_poll_at: now },
    };
    if (!(await device_sign_ins.begin(sha256Hex(device_code), sign_in))) return E.left(TOO_MANY);
    return E.right({ status: 201, body: begun.right });
  };

const pending = (interval_ms: number): E.Either<ApiError, Reply> => {
  const body: DeviceSignInResult = {
    ...{ state: 'pending', interval_s: Math.ceil(interval_ms / MS_PER_S), token: null, expires_at: null },
  };
  return E.right({ status: 200, body });
};

type SignedIn = Extract<DeviceOutcome, { tag: 'signed_in' }>;

const finish = async (
  { device_sign_ins, beginBearerSession, issuer, identity_secret }: DeviceRouteDependencies,
  request: ApiRequest,
  code_sha256: string,
  { identity }: SignedIn,
): Answer => {
  // Only one of several concurrent requests gets a session, even if the provider answers two.
  if (!(await device_sign_ins.end(code_sha256))) return E.left(OVER);
  const { subject, is_operator, auth_time, profile } = identity;
  const identity_id = identityId(identity_secret, issuer, subject);
  const who = { identity_id, is_operator, auth_time, profile, user_agent: userAgentOf(request) };
  const session = await beginBearerSession(who);
  if (session === 'guest') return E.left(NO_USER);
  const body: DeviceSignInResult = { state: 'signed_in', interval_s: null, ...session };
  return E.right({ status: 200, body });
};

const poll =
  (parts: DeviceRouteDependencies, tell: Tell) =>
  async (request: ApiRequest): Answer => {
    const { provider, device_sign_ins, isBehind, clock } = parts;
    const body = await decodeBody(request, DeviceCode);
    if (E.isLeft(body)) return body;
    if (await isBehind()) return E.left(BEHIND);
    const { device_code } = body.right;
    const code_sha256 = sha256Hex(device_code);
    const turn = await device_sign_ins.takeTurn(code_sha256, clock.now());
    if (turn.tag === 'over') return E.left(OVER);
    if (turn.tag === 'wait') return pending(turn.interval_ms);
    const outcome = await provider.pollDevice(device_code);
    if (E.isLeft(outcome)) {
      tell(outcome.left);
      if (outcome.left.tag !== 'away') await device_sign_ins.end(code_sha256);
      return E.left(faultAnswer(outcome.left));
    }
    switch (outcome.right.tag) {
      case 'pending':
        return pending(turn.interval_ms);
      case 'slow_down': {
        const interval_ms = turn.interval_ms + SLOWER_MS;
        await device_sign_ins.slowDown(code_sha256, interval_ms, clock.now());
        return pending(interval_ms);
      }
      case 'expired':
        await device_sign_ins.end(code_sha256);
        return E.left(OVER);
      case 'signed_in':
        return await finish(parts, request, code_sha256, outcome.right);
    }
  };

/** For programs only, such as `renderctl`. They need no session, so only the gateway limits the rate of an address. */
export const deviceRoutes = (
  parts: DeviceRouteDependencies,
  tell: Tell,
): Readonly<Record<'/manage/v1/device-sign-ins' | '/manage/v1/device-sign-ins/poll', Handler>> => {
  const ofPrograms =
    (handler: Handler): Handler =>
    (request) =>
      unavailableOnOutage(request, async () => {
        const fault = programFault(request.headers);
        return fault === null ? await handler(request) : E.left(fault);
      });
  return {
    '/manage/v1/device-sign-ins': ofPrograms(begin(parts, tell)),
    '/manage/v1/device-sign-ins/poll': ofPrograms(poll(parts, tell)),
  };
};

export const addDeviceRoutes = (server: Server, logger: Logger, parts: DeviceRouteDependencies): void => {
  const tell: Tell = ({ tag, error }) =>
    logger[tag === 'denied' ? 'info' : 'warn']({ tag, reason: faultText(error) }, 'device sign-in failed');
  for (const [path, handler] of Object.entries(deviceRoutes(parts, tell)))
    addRoute(server, logger, 'POST', path, handler);
};
