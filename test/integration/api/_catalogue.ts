import { randomBytes } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { mintApiKey } from '../../../domain/access/api-key.ts';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import { sha256Hex } from '../../../platform/access/sha256.ts';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { projectJson, storedJson } from '../../unit/composition/_project.ts';

export const meta = metaBy('operator:test');

export const newKey = () => {
  const minted = mintApiKey(randomBytes(32), sha256Hex);
  if (minted === null) throw new Error('32 bytes make a key');
  return minted;
};

const ASSETS = [storedJson('clip', 'video'), storedJson('logo', 'image'), storedJson('other-logo', 'image')];

/**
 * A version of a project, on top of the version before.
 *
 * @param parts replace members of the usual document
 */
export const versionOf = (
  project_id: string,
  version: number,
  name: string,
  parts: Record<string, unknown> = {},
): CatalogueEvent => {
  const decoded = decodeProjectDocument(projectJson({ name, assets: ASSETS, ...parts }));
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  const document = canonicalJson(decoded.right);
  return {
    type: 'ProjectVersionAdded',
    rules: 0,
    meta,
    project_id,
    version,
    base_version: version - 1,
    name,
    document,
    document_sha256: sha256Hex(document),
    payload: null,
  };
};

export const issued = (
  key_id: string,
  { key: _key, ...traits }: ReturnType<typeof newKey>,
  change: Partial<Extract<CatalogueEvent, { type: 'ApiKeyIssued' }>> = {},
): CatalogueEvent => ({
  type: 'ApiKeyIssued',
  rules: 0,
  meta,
  key_id,
  account_id: 'acc_1',
  user_id: null,
  team_ids: ['team_1'],
  name: key_id,
  expires_at: null,
  scopes: null,
  ...traits,
  ...change,
});

export const appendToCatalogue = async (records: RecordLog, events: readonly CatalogueEvent[]): Promise<void> => {
  for (const event of events) {
    const appended = await records.append('catalogue-events', 'catalogue', event);
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
};

/** Keys as a client sends them. `ours` belongs to a user of team_1; `theirs` reaches only team_2 of another account. */
export type Keys = Readonly<Record<'ours' | 'userless' | 'theirs' | 'revoked' | 'expired' | 'unknown', string>>;

/** Two accounts with a team and a project each; proj_empty of team_1 has no version. */
export const fillCatalogue = async (records: RecordLog, blobs: BlobStore): Promise<Keys> => {
  const email = await blobs.putPayload(
    'users/user_1/email.json',
    Buffer.from(JSON.stringify({ email: 'ada@example.com' })),
    'application/json',
  );
  const [ours, userless, theirs, revoked, expired] = [newKey(), newKey(), newKey(), newKey(), newKey()];
  const events: readonly CatalogueEvent[] = [
    { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_1', name: 'Acme', unlimited_credits: true },
    { type: 'AccountCreated', rules: 0, meta, account_id: 'acc_2', name: 'Other', unlimited_credits: true },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_1', account_id: 'acc_1', name: 'Studio' },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_left', account_id: 'acc_1', name: 'Left' },
    { type: 'TeamCreated', rules: 0, meta, team_id: 'team_2', account_id: 'acc_2', name: 'Theirs' },
    { type: 'UserRegistered', rules: 0, meta, user_id: 'user_1', email },
    { type: 'UserRegistered', rules: 0, meta, user_id: 'user_2', email: null },
    { type: 'MemberAdded', rules: 0, meta, team_id: 'team_1', user_id: 'user_1', role: 'admin' },
    { type: 'MemberAdded', rules: 0, meta, team_id: 'team_left', user_id: 'user_1', role: 'member' },
    { type: 'MemberRemoved', rules: 0, meta, team_id: 'team_left', user_id: 'user_1' },
    { type: 'MemberAdded', rules: 0, meta, team_id: 'team_2', user_id: 'user_2', role: 'member' },
    issued('key_ours', ours, { user_id: 'user_1', team_ids: ['team_1', 'team_left'] }),
    issued('key_userless', userless),
    issued('key_theirs', theirs, { account_id: 'acc_2', team_ids: ['team_2'] }),
    issued('key_revoked', revoked),
    { type: 'ApiKeyRevoked', rules: 0, meta, key_id: 'key_revoked' },
    issued('key_expired', expired, { expires_at: 1_000 }),
    {
      type: 'ProjectCreated',
      rules: 0,
      meta,
      project_id: 'proj_1',
      team_id: 'team_1',
      name: 'Sale',
      created_by: 'user_1',
      payload: null,
    },
    versionOf('proj_1', 1, 'Sale of proj_1'),
    {
      type: 'ProjectCreated',
      rules: 0,
      meta,
      project_id: 'proj_2',
      team_id: 'team_2',
      name: 'Theirs',
      created_by: null,
      payload: null,
    },
    versionOf('proj_2', 1, 'Sale of proj_2'),
    {
      type: 'ProjectCreated',
      rules: 0,
      meta,
      project_id: 'proj_empty',
      team_id: 'team_1',
      name: 'Empty',
      created_by: null,
      payload: null,
    },
  ];
  await appendToCatalogue(records, events);
  return {
    ours: ours.key,
    userless: userless.key,
    theirs: theirs.key,
    revoked: revoked.key,
    expired: expired.key,
    unknown: newKey().key,
  };
};
