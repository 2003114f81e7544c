import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import type { ApiAnswer, ApiClient, ApiRequest, ApiResult } from './api-client.ts';
import { readMe, teamOfCommand } from './me.ts';
import type { SessionService } from './session-service.ts';

const ROOT = 'http://service';
const PUBLIC = '/v1';
const ERASURE = /^(\/v1\/projects\/[^/]+)\/erase$/;

const teamIn = ({ path, body }: ApiRequest): string | undefined => {
  const asked = new URL(path, ROOT).searchParams.get('team_id') ?? Object(body).team_id;
  return typeof asked === 'string' ? asked : undefined;
};

/** The path below the team's. */
const pathInTeam = (path: string, team_id: string): string => {
  const { pathname, searchParams } = new URL(path, ROOT);
  searchParams.delete('team_id');
  const search = searchParams.size === 0 ? '' : `?${searchParams}`;
  return `/manage/v1/teams/${encodeURIComponent(team_id)}${pathname.slice(PUBLIC.length)}${search}`;
};

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A project of `/v1` names its team in another form. */
const asPublic = (answer: unknown): unknown => {
  if (!isObject(answer)) return answer;
  if (Array.isArray(answer.data)) return { ...answer, data: answer.data.map(asPublic) };
  return typeof answer.team_id === 'string' && answer.team === undefined
    ? { ...answer, team: { id: answer.team_id, name: '' } }
    : answer;
};

type WithRaw<A> = readonly [A, unknown];

/** Decodes an answer in the form of `/v1`, and keeps the answer itself. */
const withRaw = <A>(codec: t.Decoder<unknown, A>): t.Decoder<unknown, WithRaw<A>> => {
  const pair = (answer: unknown) => E.map((body: A): WithRaw<A> => [body, answer]);
  return {
    name: codec.name,
    validate: (answer, context) => pair(answer)(codec.validate(asPublic(answer), context)),
    decode: (answer) => pair(answer)(codec.decode(asPublic(answer))),
  };
};

/** `/v1` has the version of a project in a header, `/manage/v1` in the body. */
const withVersionTag = (headers: Headers, answer: unknown): Headers => {
  if (!isObject(answer) || typeof answer.version !== 'number' || headers.has('etag')) return headers;
  const tagged = new Headers(headers);
  tagged.set('etag', `"${answer.version}"`);
  return tagged;
};

/**
 * Sends requests of `/v1` about teams, projects, uploads and stills as the person who is logged in, in the team that
 * they chose.
 */
export const projectClient = (session: SessionService): ApiClient => {
  const { client } = session;

  const placed = async (request: ApiRequest): ApiResult<ApiRequest> => {
    const team_id = await teamOfCommand(session, teamIn(request));
    return E.map((team: string) => ({ ...request, path: pathInTeam(request.path, team) }))(team_id);
  };

  /** The person has confirmed the erasure to renderctl, and `/manage/v1` asks for the name of the project. */
  const confirmed = async (request: ApiRequest): ApiResult<ApiRequest> => {
    const [, project] = ERASURE.exec(request.path) ?? [];
    if (project === undefined) return E.right(request);
    const read = await send(t.type({ id: t.string, name: t.string }), { path: project });
    return E.map(({ body: { id, name } }: ApiAnswer<{ id: string; name: string }>) => ({
      ...request,
      body: { name, project_id: id },
    }))(read);
  };

  const sendInTeam = async <A>(codec: t.Decoder<unknown, A>, request: ApiRequest): ApiResult<ApiAnswer<A>> => {
    const place = await placed(request);
    if (E.isLeft(place)) return place;
    return E.map(({ status, headers, body: [body, raw] }: ApiAnswer<WithRaw<A>>) => ({
      ...{ status, body, headers: withVersionTag(headers, raw) },
    }))(await client.send(withRaw(codec), place.right));
  };

  const teams = async <A>(codec: t.Decoder<unknown, A>): ApiResult<ApiAnswer<A>> => {
    const me = await readMe(client);
    if (E.isLeft(me)) return me;
    const body = codec.decode({ data: me.right.teams });
    return E.isRight(body)
      ? E.right({ status: 200, headers: new Headers(), body: body.right })
      : E.left({ tag: 'http', status: 200, message: 'the response of the service is not valid' });
  };

  const send: ApiClient['send'] = async (codec, request) => {
    if (request.path === '/v1/teams') return await teams(codec);
    const ready = await confirmed(request);
    return E.isLeft(ready) ? ready : await sendInTeam(codec, ready.right);
  };

  return {
    address: client.address,
    send,
    sendForBytes: async (request) => {
      const place = await placed(request);
      return E.isLeft(place) ? place : await client.sendForBytes(place.right);
    },
  };
};
