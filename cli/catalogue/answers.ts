import type {
  AccountDocument,
  ApiKeyDocument,
  MembershipDocument,
  ProjectDocumentRow,
  TeamDocument,
  UserDocument,
} from '../../schemas/read-models/catalogue-document.ts';

/** Entities as renderctl shows them: without what only readers of the log need. Times in ms since the epoch. */
export const accountAnswer = ({ _id: id, name, unlimited_credits, granted_credits, created_at }: AccountDocument) => ({
  id,
  name,
  unlimited_credits,
  granted_credits,
  created_at,
});
export type AccountAnswer = ReturnType<typeof accountAnswer>;

export const teamAnswer = ({ _id: id, name, account_id, created_at }: TeamDocument) => ({
  id,
  name,
  account_id,
  created_at,
});
export type TeamAnswer = ReturnType<typeof teamAnswer>;

/** @param email from the payload; null when there is none, or when it was not asked for */
export const userAnswer = ({ _id: id, created_at }: UserDocument, email: string | null) => ({ id, email, created_at });
export type UserAnswer = ReturnType<typeof userAnswer>;

export const memberAnswer = ({ team_id, user_id, role, joined_at }: MembershipDocument) => ({
  team_id,
  user_id,
  role,
  joined_at,
});
export type MemberAnswer = ReturnType<typeof memberAnswer>;

/** Of the key itself only how it begins and ends is known to anyone. */
export const keyAnswer = (key: ApiKeyDocument) => ({
  id: key._id,
  name: key.name,
  account_id: key.account_id,
  user_id: key.user_id,
  team_ids: key.team_ids,
  prefix: key.prefix,
  last4: key.last4,
  created_at: key.created_at,
  expires_at: key.expires_at,
  revoked_at: key.revoked_at,
});
export type KeyAnswer = ReturnType<typeof keyAnswer>;

export const projectAnswer = (project: ProjectDocumentRow) => ({
  id: project._id,
  name: project.name,
  team_id: project.team_id,
  version: project.version,
  created_by: project.created_by,
  created_at: project.created_at,
  updated_at: project.updated_at,
});
export type ProjectAnswer = ReturnType<typeof projectAnswer>;
