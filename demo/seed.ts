import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { accountById, createAccount } from '../catalogue/accounts.ts';
import type { CatalogueWriter } from '../catalogue/change.ts';
import type { CatalogueFault } from '../catalogue/fault.ts';
import { createKey } from '../catalogue/keys.ts';
import { addMember } from '../catalogue/members.ts';
import { importProject } from '../catalogue/project-import.ts';
import { createTeam } from '../catalogue/teams.ts';
import { createUser } from '../catalogue/users.ts';
import { readProject } from '../cli/catalogue/project-files.ts';
import { createConnection } from '../cli/connection.ts';
import { type CliFault, reportOf } from '../cli/fault.ts';
import { reportLine } from '../cli/report.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import { ROOT } from '../stack/servers/tools.ts';
import { type PartiallySeededEntities, readSeeded, type SeededEntities, writeSeeded } from './seeded.ts';

export const DEMO_PROJECT = join(ROOT, 'examples', 'demo');

type Step<A> = E.Either<CliFault | CatalogueFault, A>;

const isKnown = async (catalogue: CatalogueWriter, { account_id }: PartiallySeededEntities): Promise<boolean> =>
  account_id !== undefined && E.isRight(await accountById(catalogue.read_model, account_id));

/** Saves each entity as soon as it exists. */
const seed = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  kept_at: string,
  project_path: string,
  say: (line: string) => void,
): Promise<Step<SeededEntities>> => {
  const kept = await readSeeded(kept_at);
  // The file may outlive the data. Then everything is created again.
  let created: PartiallySeededEntities = (await isKnown(catalogue, kept)) ? kept : {};
  const keep = async (more: PartiallySeededEntities): Promise<void> => {
    created = { ...created, ...more };
    await writeSeeded(kept_at, created);
  };

  say(
    created.project_id === undefined
      ? 'Creating an account, a team, a user, an API key and the demo project …'
      : 'Checking the demo project …',
  );
  if (created.account_id === undefined) {
    const account = await createAccount(catalogue, { name: 'Demo account', unlimited_credits: true });
    if (E.isLeft(account)) return account;
    await keep({ account_id: account.right.id });
  }
  const account_id = created.account_id ?? '';

  if (created.team_id === undefined) {
    const team = await createTeam(catalogue, { account_id, name: 'Demo team' });
    if (E.isLeft(team)) return team;
    await keep({ team_id: team.right.id });
  }
  const team_id = created.team_id ?? '';

  if (created.user_id === undefined) {
    const user = await createUser(catalogue, blobs, { email: 'demo@example.org' });
    if (E.isLeft(user)) return user;
    const member = await addMember(catalogue, { team_id, user_id: user.right.id, role: 'admin' });
    if (E.isLeft(member)) return member;
    await keep({ user_id: user.right.id });
  }
  const user_id = created.user_id ?? '';

  if (created.api_key === undefined) {
    const wanted = { account_id, user_id, team_ids: [team_id], name: 'Demo key', expires_at: null };
    const issued = await createKey(catalogue, wanted);
    if (E.isLeft(issued)) return issued;
    await keep({ api_key: issued.right.key });
  }
  const api_key = created.api_key ?? '';

  const local = await readProject(project_path);
  if (E.isLeft(local)) return local;
  const project = await importProject(
    catalogue,
    blobs,
    local.right,
    created.project_id === undefined
      ? { tag: 'new', team_id, created_by: user_id }
      : { tag: 'version_of', project_id: created.project_id, base_version: null },
  );
  if (E.isLeft(project)) return project;
  const template_id = local.right.file.templates[0]?.id ?? '';
  const seeded = { account_id, team_id, user_id, api_key, project_id: project.right.id, template_id };
  await keep(seeded);
  return E.right(seeded);
};

export type SeedOptions = {
  readonly env: Readonly<Record<string, string>>;
  /** A file in the stack's data folder. Seeding the same folder again gives the same account, key and project. */
  readonly seeded_path: string;
  /** Folder of the project to import; the demo's by default. */
  readonly project?: string;
  /** Prints progress, because seeding takes seconds. */
  readonly say?: (line: string) => void;
};

/**
 * Creates the demo's account (unlimited credits), team, user (an admin of the team), API key and project. Keeps
 * existing entities. A changed project becomes a new version. Rejects with a message of one line.
 */
export const seedDemo = async ({
  env,
  seeded_path,
  project = DEMO_PROJECT,
  say = () => undefined,
}: SeedOptions): Promise<SeededEntities> => {
  const servers = createConnection(env, '', new AbortController().signal);
  try {
    const seeded = await servers.catalogue((catalogue) =>
      servers.blobs((blobs) => seed(catalogue, blobs, seeded_path, project, say)),
    );
    if (E.isRight(seeded)) return seeded.right;
    const report = reportOf(seeded.left);
    throw new Error([reportLine(report), ...report.details].join('; '));
  } finally {
    await servers.close();
  }
};
