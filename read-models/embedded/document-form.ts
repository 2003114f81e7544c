import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import type { AuditDocument } from '../audit/documents.ts';
import type { EntityDocument } from '../catalogue/documents.ts';
import type { RenderDocument } from '../renders/documents.ts';
import { nameOf } from '../renders/documents.ts';
import { requestTokensOf, searchTokensOf } from '../renders/query-fields.ts';
import { skipFieldName, skipKey, skipLevel, skipListToken, skipToken, withLevelTokens } from './skip-list.ts';

type Named = Pick<RenderDocument, 'render' | 'name'>;

/**
 * The skip-list members of a render, in addition to the field that orders a list by date; absent at level 0. Their form
 * is `<prefix>#<level>:<13-digit created_at><id>`.
 */
export type RenderSkipMembers = {
  readonly by_project_skip?: string;
  readonly by_project_status_skip?: string;
  readonly by_team_status_skip?: string;
};

export const RENDER_SKIP_MEMBERS = { by_project_skip: 1, by_project_status_skip: 1, by_team_status_skip: 1 } as const;

/** The members, tokens and indexes of a generation that one kind of store needs. */
export type DocumentForm = {
  readonly indexes: (plain: Indexes) => Indexes;
  readonly renderMembers: (document: Named) => RenderSkipMembers;
  readonly unlisted: typeof RENDER_SKIP_MEMBERS | null;
  readonly renderTokens: (
    document: Named & Pick<RenderDocument, 'facts'>,
    plain: readonly string[],
  ) => readonly string[];
  readonly entity: (plain: EntityDocument) => EntityDocument;
  readonly audit: (plain: AuditDocument) => AuditDocument;
};

/** MongoDB reads its indexes in order, so its documents need no skip lists. */
export const MONGODB_FORM: DocumentForm = {
  indexes: (plain) => plain,
  renderMembers: () => ({}),
  unlisted: null,
  renderTokens: (_, plain) => plain,
  entity: (plain) => plain,
  audit: (plain) => plain,
};

const LISTS_BY_DATE: readonly string[] = ['by_project', 'by_project_status', 'by_team', 'by_team_status'];

/** For the embedded store, which needs skip lists (ADR 72). */
export const SKIP_LIST_FORM: DocumentForm = {
  indexes: (plain) =>
    new Map(
      Array.from(plain, ([collection, indexes]) => [
        collection,
        indexes.flatMap((index) => {
          const [field = '', ...others] = Object.keys(index.key);
          const is_by_date = others.length === 0 && LISTS_BY_DATE.includes(field);
          return is_by_date ? [index, { key: { [skipFieldName(field)]: 1 as const }, sparse: true }] : [index];
        }),
      ]),
    ),

  renderMembers: (document) => {
    const { render } = document;
    if (render === null || nameOf(document) === null) return {};
    const { id, project_id, team_id, status, created_at } = render;
    const level = skipLevel(id);
    if (level === 0) return {};
    const keyOf = (prefix: string): string => skipKey(prefix, level, created_at, id);
    return {
      by_project_skip: keyOf(project_id),
      by_project_status_skip: keyOf(`${project_id}:${status}`),
      by_team_status_skip: keyOf(`${team_id}:${status}`),
    };
  },

  unlisted: RENDER_SKIP_MEMBERS,

  renderTokens: (document, plain) => {
    const { render } = document;
    if (render === null || skipLevel(render.id) === 0) return plain;
    const { id, project_id } = render;
    return [
      ...withLevelTokens(id, searchTokensOf(document), (token, level) => skipToken(project_id, token, level)),
      ...withLevelTokens(id, requestTokensOf(document), skipListToken),
    ];
  },

  entity: (plain) => {
    if (plain.kind !== 'project' || plain.by_team === undefined) return plain;
    const { _id, team_id, created_at } = plain;
    const level = skipLevel(_id);
    if (level === 0) return plain;
    const search = withLevelTokens(_id, plain.search, (token, at) => skipToken(team_id, token, at));
    return { ...plain, by_team_skip: skipKey(team_id, level, created_at, _id), search };
  },

  audit: (plain) => ({ ...plain, lists: withLevelTokens(plain._id, plain.lists, skipListToken) }),
};
