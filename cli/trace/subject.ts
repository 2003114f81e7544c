import type { ApiKey, Entity, EntityKind } from '../../domain/catalogue/entities.ts';
import type { CatalogueView } from '../../domain/catalogue/verdict.ts';
import { isDisabled } from '../../domain/webhooks/endpoint.ts';

const KINDS = {
  acc: { word: 'account', entity: 'account' },
  team: { word: 'team', entity: 'team' },
  user: { word: 'user', entity: 'user' },
  key: { word: 'key', entity: 'api_key' },
  proj: { word: 'project', entity: 'project' },
  whe: { word: 'endpoint', entity: 'webhook_endpoint' },
  inv: { word: 'invitation', entity: 'invitation' },
} as const satisfies Readonly<Record<string, { readonly word: string; readonly entity: EntityKind }>>;

type Prefix = keyof typeof KINDS;

export type SubjectKind = (typeof KINDS)[Prefix]['word'];

export type Subject = { readonly id: string; readonly kind: SubjectKind };

const isPrefix = (text: string): text is Prefix => Object.hasOwn(KINDS, text);

const prefixOf = (id: string): string => id.slice(0, Math.max(0, id.indexOf('_')));

export const subjectOfId = (id: string): Subject | null => {
  const prefix = prefixOf(id);
  return isPrefix(prefix) ? { id, kind: KINDS[prefix].word } : null;
};

export const isRenderId = (id: string): boolean => prefixOf(id) === 'rend';

export const PREFIXES_TEXT = ['rend_… (a render)', ...Object.entries(KINDS).map(([p, k]) => `${p}_… (${k.word})`)].join(
  ', ',
);

const entityOf = (view: CatalogueView, { id, kind }: Subject): Entity | null => {
  const found = Object.values(KINDS).find(({ word }) => word === kind);
  return found === undefined ? null : view(found.entity, id);
};

const keyStatus = ({ revoked_at, replaced_by }: ApiKey): string => {
  if (revoked_at !== null) return 'revoked';
  // Keys from before rotation existed do not have `replaced_by`.
  return (replaced_by ?? null) === null ? 'in force' : 'replaced';
};

const statusOf = (entity: Entity): string | null => {
  switch (entity.kind) {
    case 'account':
    case 'user':
      return entity.erased === undefined ? 'active' : 'erased';
    case 'team':
      return 'active';
    case 'api_key':
      return keyStatus(entity);
    case 'project':
      if (entity.erased !== undefined) return 'erased';
      return entity.version === 0 ? 'no version' : `version ${entity.version}`;
    case 'webhook_endpoint':
      if (entity.deleted_at !== null) return 'deleted';
      return isDisabled(entity) ? 'disabled' : 'enabled';
    case 'invitation':
      if (entity.accepted_at !== null) return 'accepted';
      return entity.revoked_at === null ? 'open' : 'revoked';
    default:
      return null;
  }
};

/** All null if no record created the subject. Times in ms since the epoch. */
export type SubjectState = {
  readonly status: string | null;
  readonly expires_at: number | null;
  readonly erased: { readonly at: number; readonly by: string } | null;
};

export const subjectStateOf = (view: CatalogueView, subject: Subject): SubjectState => {
  const entity = entityOf(view, subject);
  if (entity === null) return { status: null, expires_at: null, erased: null };
  const is_open = entity.kind === 'api_key' || statusOf(entity) === 'open';
  const erased = 'erased' in entity ? entity.erased : undefined;
  return {
    status: statusOf(entity),
    expires_at: is_open && 'expires_at' in entity ? entity.expires_at : null,
    erased: erased === undefined ? null : { at: erased.at, by: erased.by },
  };
};
