import type {
  Account,
  AccountLimits,
  AccountMember,
  AccountRetention,
  AccountUsage,
  ApiKey,
  CreditGrant,
  Identity,
  Invitation,
  MemberKeys,
  Membership,
  Project,
  ProjectThumbnail,
  ProjectVersion,
  Team,
  TeamRoster,
  User,
  UserIdentities,
} from '../../domain/catalogue/entities.ts';
import type { TeamWebhooks, WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';

/** `_id` is the entity's id, and `offset` that of the event that last changed the entity. */
export type CatalogueDocument<E> = E extends { readonly id: string }
  ? Omit<E, 'id'> & { readonly _id: string; readonly offset: number }
  : never;

/** `<13-digit time of the erasure><id>`; absent if the entity is not erased. */
type Erasable = { readonly by_erased?: string };

export type AccountDocument = CatalogueDocument<Account> & Erasable;
export type CreditGrantDocument = CatalogueDocument<CreditGrant>;
export type TeamDocument = CatalogueDocument<Team>;
export type UserDocument = CatalogueDocument<User> & Erasable;
export type MembershipDocument = CatalogueDocument<Membership>;
export type ApiKeyDocument = CatalogueDocument<ApiKey>;
/**
 * `by_team` is `<team>:<13-digit created_at><id>`, and the `position` is the part after the team. The `search` tokens
 * each begin with `<team>:`. Only for the embedded store, `by_team_skip` is `<team>#<level>:<position>`. A hidden
 * project has none of them.
 */
export type ProjectDocumentRow = CatalogueDocument<Project> &
  Erasable & {
    readonly by_team?: string;
    readonly by_team_skip?: string;
    readonly position?: string;
    readonly search: readonly string[];
  };
export type ProjectVersionDocument = CatalogueDocument<ProjectVersion>;
export type ProjectThumbnailDocument = CatalogueDocument<ProjectThumbnail>;
export type WebhookEndpointDocument = CatalogueDocument<WebhookEndpoint>;
export type TeamWebhooksDocument = CatalogueDocument<TeamWebhooks>;

export type EntityDocument =
  | AccountDocument
  | CreditGrantDocument
  | TeamDocument
  | UserDocument
  | MembershipDocument
  | ApiKeyDocument
  | ProjectDocumentRow
  | ProjectVersionDocument
  | ProjectThumbnailDocument
  | WebhookEndpointDocument
  | TeamWebhooksDocument
  | CatalogueDocument<AccountMember>
  | CatalogueDocument<AccountUsage>
  | CatalogueDocument<AccountLimits>
  | CatalogueDocument<AccountRetention>
  | CatalogueDocument<TeamRoster>
  | CatalogueDocument<MemberKeys>
  | CatalogueDocument<Invitation>
  | CatalogueDocument<Identity>
  | CatalogueDocument<UserIdentities>;

/** `catalogue_ignored_g<generation>`: events that the fold ignored; `_id` is the offset. */
export type CatalogueIgnoredDocument = {
  readonly _id: number;
  readonly type: string;
  readonly event_id: string;
  readonly reason: string;
};

/** `key_last_used` belongs to no generation: the APIs write it, and the log does not have it. */
export type KeyLastUsedDocument = {
  readonly _id: string;
  readonly at: Date;
};
