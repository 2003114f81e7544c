import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { CliFault } from '../fault.ts';
import type { ApiRequest, ApiResult } from '../http/api-client.ts';
import { teamOfCommand } from '../http/me.ts';
import { ask } from '../http/requests.ts';
import type { SessionService } from '../http/session-service.ts';
import { withDetailsIn } from './detailed-render.ts';
import { type RenderAnswer, TemplateAnswer, TransitionAnswer } from './render-answers.ts';
import type { RenderApi } from './render-api.ts';

const TeamRender = t.type({
  ...{ id: t.string, name: t.string, status: t.string, type: t.string, project_id: t.string },
  ...{ created_by: nullable(t.string), created_at: t.number, updated_at: nullable(t.number) },
});
type TeamRender = t.TypeOf<typeof TeamRender>;

const TeamRenderWithTransitions = t.intersection([TeamRender, t.type({ transitions: t.array(TransitionAnswer) })]);

const TeamRenders = t.type({ data: t.array(TeamRender), has_more: t.boolean, next_cursor: nullable(t.string) });
const TeamTemplates = t.type({ data: t.array(TemplateAnswer) });
const Files = t.type({ files: t.array(t.type({ variant: t.string, url: t.string })) });

const NO_TEMPLATE: CliFault = { tag: 'http', status: 404, message: 'there is no such template' };

const inPublicForm =
  (team: string) =>
  ({ project_id, ...render }: TeamRender): RenderAnswer => {
    const { id, name, status, type, created_by, created_at, updated_at } = render;
    return { id, name, status, type, project: { id: project_id, team }, created_by, created_at, updated_at };
  };

type InTeam<A> = { readonly team_id: string; readonly answer: A };

/** Reads the team once, because a batch has many requests. A failed read is repeated. */
const teamReader = (session: SessionService): (() => Promise<E.Either<CliFault, string>>) => {
  let known: string | null = null;
  return async () => {
    if (known !== null) return E.right(known);
    const team_id = await teamOfCommand(session, undefined);
    if (E.isRight(team_id)) known = team_id.right;
    return team_id;
  };
};

/**
 * The renders of one team, as the person who is logged in. The answers have the form of `/v1`. Asks with single requests
 * if the client does not retry.
 */
export const teamRenderApi = (session: SessionService): RenderApi => {
  const teamId = teamReader(session);

  const inTeam = async <A>(codec: t.Decoder<unknown, A>, { path, ...request }: ApiRequest): ApiResult<InTeam<A>> => {
    const team_id = await teamId();
    if (E.isLeft(team_id)) return team_id;
    const at = `/manage/v1/teams/${encodeURIComponent(team_id.right)}${path}`;
    const found = await ask(session.client, codec, { path: at, ...request });
    return E.map((answer: A) => ({ team_id: team_id.right, answer }))(found);
  };
  const changed = async (request: ApiRequest): ApiResult<RenderAnswer> =>
    E.map(({ team_id, answer }: InTeam<TeamRender>) => inPublicForm(team_id)(answer))(
      await inTeam(TeamRender, request),
    );
  const pathOf = (id: string): string => `/renders/${encodeURIComponent(id)}`;

  const get: RenderApi['get'] = async (id) => {
    const found = await inTeam(TeamRenderWithTransitions, { path: pathOf(id) });
    if (E.isLeft(found)) return found;
    const { team_id, answer } = found.right;
    const render = withDetailsIn(inPublicForm(team_id)(answer), answer.transitions);
    if (render.status !== 'complete') return E.right(render);
    const stored = await inTeam(Files, { path: `${pathOf(id)}/files` });
    if (E.isLeft(stored)) return stored;
    const output = Object.fromEntries(stored.right.answer.files.map(({ variant, url }) => [variant, url]));
    return E.right({ ...render, output });
  };

  const templates = async (project_id: string): ApiResult<readonly TemplateAnswer[]> => {
    const found = await inTeam(TeamTemplates, { path: `/projects/${encodeURIComponent(project_id)}/templates` });
    return E.isLeft(found) ? found : E.right(found.right.answer.data);
  };

  return {
    get,
    create: (body, key) => {
      const headers = key === undefined ? {} : { headers: { 'Idempotency-Key': key } };
      return changed({ path: '/renders', body, ...headers });
    },
    cancel: (id) => changed({ path: `${pathOf(id)}/cancel`, body: {} }),
    list: async ({ project_id, ...query }) => {
      const place = project_id === undefined ? '' : `/projects/${encodeURIComponent(project_id)}`;
      const found = await inTeam(TeamRenders, { path: `${place}/renders?${new URLSearchParams(query)}` });
      if (E.isLeft(found)) return found;
      const { team_id, answer } = found.right;
      return E.right({ ...answer, data: answer.data.map(inPublicForm(team_id)) });
    },
    projects: null,
    transitions: async (id) => {
      const found = await inTeam(TeamRenderWithTransitions, { path: pathOf(id) });
      return E.isLeft(found) ? found : E.right({ data: found.right.answer.transitions });
    },
    template: async (project_id, id) => {
      const all = await templates(project_id);
      if (E.isLeft(all)) return all;
      const found = all.right.find((one) => one.id === id);
      return found === undefined ? E.left(NO_TEMPLATE) : E.right(found);
    },
    templates: async (project_id) => {
      const all = await templates(project_id);
      return E.isLeft(all) ? all : E.right({ data: [...all.right] });
    },
  };
};
