import * as E from 'fp-ts/lib/Either.js';
import { creditGrantId } from '../domain/catalogue/entities.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { accountById, createAccount, grantCredits } from './accounts.ts';
import type { AccountView, KeyView, ProjectView, TeamView } from './answers.ts';
import { type CatalogueWriter, viewAtLogEnd } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { createKey, listKeys } from './keys.ts';
import { importProject, type LocalProject } from './project-import.ts';
import { showProject } from './projects.ts';
import {
  isGrantMissing,
  QUICKSTART_CREDITS,
  type QuickstartEntities,
  type QuickstartRequest,
  quickstartConflictOf,
  quickstartIds,
} from './quickstart-conflict.ts';
import { createTeam, teamById } from './teams.ts';

/** `api_key` is shown only once; null if a valid key existed. `repeated`: all entities existed. */
export type QuickstartAnswer = {
  readonly account: AccountView;
  readonly team: TeamView;
  readonly project: ProjectView;
  readonly template_id: string | null;
  readonly key: KeyView;
  readonly api_key: string | null;
  readonly repeated?: true;
};

const findAll = async (
  catalogue: CatalogueWriter,
  word: string,
): Promise<E.Either<CatalogueFault, QuickstartEntities>> => {
  const { account_id, team_id, project_id, grant_id } = quickstartIds(word);
  const grant = creditGrantId(account_id, grant_id);
  const view = await viewAtLogEnd(catalogue, [
    { kind: 'account', id: account_id },
    { kind: 'credit_grant', id: grant },
    { kind: 'team', id: team_id },
    { kind: 'project', id: project_id },
  ]);
  if (E.isLeft(view)) return view;
  return E.right({
    account: view.right('account', account_id),
    grant: view.right('credit_grant', grant),
    team: view.right('team', team_id),
    project: view.right('project', project_id),
  });
};

const liveKey = async ({ read_model, clock }: CatalogueWriter, account_id: string, team_id: string) =>
  (await listKeys(read_model, account_id)).findLast(
    ({ revoked_at, expires_at, team_ids }) =>
      revoked_at === null && (expires_at === null || expires_at > clock.now()) && team_ids.includes(team_id),
  ) ?? null;

const makeMissing = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  local: LocalProject,
  wanted: QuickstartRequest,
  found: QuickstartEntities,
): Promise<E.Either<CatalogueFault, null>> => {
  const { word, name, credits } = wanted;
  const { account_id, team_id, project_id, grant_id } = quickstartIds(word);
  if (found.account === null) {
    const unlimited_credits = credits === 'unlimited';
    const account = await createAccount(catalogue, { id: account_id, name, unlimited_credits });
    if (E.isLeft(account)) return account;
  }
  if (isGrantMissing(wanted, found)) {
    const amount = typeof credits === 'number' ? credits : QUICKSTART_CREDITS;
    const grant = { account_id, credits: amount, id: grant_id };
    const granted = await grantCredits(catalogue, grant);
    if (E.isLeft(granted)) return granted;
  }
  if (found.team === null) {
    const team = await createTeam(catalogue, { account_id, name, id: team_id });
    if (E.isLeft(team)) return team;
  }
  // A project with a version is not changed: a person may have edited it since.
  if (found.project === null || found.project.version === 0) {
    const imported = await importProject(catalogue, blobs, local, {
      ...{ tag: 'new', team_id, created_by: null, id: project_id },
    });
    if (E.isLeft(imported)) return imported;
  }
  return E.right(null);
};

const incomplete = (cause: CatalogueFault): E.Either<CatalogueFault, never> =>
  E.left({ tag: 'quickstart_incomplete', cause });

/**
 * Creates all entities for a first render: an account with credits, a team, a project and a key. Existing entities are
 * not changed, so a repeat continues an interrupted run. The key comes last: when it is shown, all entities exist.
 */
export const quickstart = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  local: LocalProject,
  wanted: QuickstartRequest,
): Promise<E.Either<CatalogueFault, QuickstartAnswer>> => {
  const { account_id, team_id, project_id } = quickstartIds(wanted.word);
  const found = await findAll(catalogue, wanted.word);
  if (E.isLeft(found)) return found;
  const conflict = quickstartConflictOf(wanted, found.right);
  if (conflict !== null) return E.left({ tag: 'quickstart_conflict', conflict });
  const created = await makeMissing(catalogue, blobs, local, wanted, found.right);
  if (E.isLeft(created)) return incomplete(created.left);

  const { read_model } = catalogue;
  const [account, team] = await Promise.all([accountById(read_model, account_id), teamById(read_model, team_id)]);
  if (E.isLeft(account)) return account;
  if (E.isLeft(team)) return team;
  const shown = await showProject(read_model, project_id);
  if (E.isLeft(shown)) return shown;
  const { document, ...project } = shown.right;
  const all = { account: account.right, team: team.right, project, template_id: document?.templates[0]?.id ?? null };

  const live = await liveKey(catalogue, account_id, team_id);
  if (live !== null) {
    const { project: before } = found.right;
    const repeated = before !== null && before.version > 0 && !isGrantMissing(wanted, found.right);
    return E.right({ ...all, key: live, api_key: null, ...(repeated ? { repeated: true as const } : {}) });
  }
  const issued = await createKey(catalogue, {
    ...{ account_id, user_id: null, team_ids: [team_id], name: 'quickstart', expires_at: null },
  });
  if (E.isLeft(issued)) return incomplete(issued.left);
  const { key: api_key, ...key } = issued.right;
  return E.right({ ...all, key, api_key });
};
