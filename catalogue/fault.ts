import type { EntityKind } from '../domain/catalogue/entities.ts';
import type { CatalogueEvent } from '../domain/catalogue/events.ts';
import type { Fault } from '../domain/composition/fault.ts';
import type { AddressFault } from './endpoint-address.ts';
import type { QuickstartConflict } from './quickstart-conflict.ts';

/** A secret that is shown only once. The fault shows it, because it would be lost otherwise. */
export type UnshownSecret = {
  readonly key?: { readonly key_id: string; readonly key: string };
  readonly secret?: { readonly endpoint_id: string; readonly secret: string };
  readonly invitation?: { readonly invitation_id: string; readonly token: string };
};

export type CatalogueFault =
  /**
   * The fold ignores the event for this reason. If another change came first, the event is in the log at `ignored_at`;
   * otherwise it was not appended.
   */
  | {
      readonly tag: 'illegal';
      readonly reason: string;
      readonly event: CatalogueEvent;
      readonly ignored_at: number | null;
    }
  | { readonly tag: 'name_refused'; readonly message: string }
  /** The user is the last owner of these accounts, and the last admin of these teams, whose accounts have no owner. */
  | {
      readonly tag: 'still_last';
      readonly user_id: string;
      readonly team_ids: readonly string[];
      readonly account_ids: readonly string[];
    }
  | ({ readonly tag: 'address_refused' } & AddressFault)
  | { readonly tag: 'missing'; readonly kind: EntityKind; readonly id: string }
  | { readonly tag: 'version_missing'; readonly project_id: string; readonly version: number }
  /**
   * The project exists, but the read model does not have its text yet, because the blob store did not serve it in time.
   */
  | { readonly tag: 'text_pending'; readonly project_id: string }
  | { readonly tag: 'no_version'; readonly project_id: string; readonly needed_for: 'assets' | 'name' }
  | { readonly tag: 'already_imported'; readonly project_id: string; readonly version: number }
  | { readonly tag: 'no_ledger_yet' }
  | { readonly tag: 'quickstart_conflict'; readonly conflict: QuickstartConflict }
  /** Some entities of the quickstart may exist; a repeat creates the others. */
  | { readonly tag: 'quickstart_incomplete'; readonly cause: CatalogueFault }
  /** The secret of this rotation is not used, because another rotation followed or the endpoint was deleted. */
  | { readonly tag: 'secret_replaced'; readonly endpoint_id: string }
  /** The read model did not reach the end of the log in time. The event was not appended. */
  | { readonly tag: 'read_model_behind'; readonly waited_ms: number }
  /** The serving read model has an older version, which cannot judge the event. The event was not appended. */
  | { readonly tag: 'read_model_rebuilding'; readonly waited_ms: number }
  | { readonly tag: 'not_appended'; readonly message: string }
  | { readonly tag: 'unconfirmed'; readonly message: string; readonly event: CatalogueEvent }
  /** The event is in the log, but the read model does not show it in time. */
  | ({ readonly tag: 'not_shown'; readonly offset: number; readonly waited_ms: number } & UnshownSecret)
  | { readonly tag: 'invalid_project'; readonly path: string; readonly faults: readonly Fault[] }
  | { readonly tag: 'assets_taken'; readonly files: readonly { readonly path: string; readonly id: string }[] }
  | { readonly tag: 'file_changed'; readonly path: string }
  | { readonly tag: 'blob_failed'; readonly message: string }
  /** The project exists, but possibly without a version. */
  | { readonly tag: 'import_incomplete'; readonly project_id: string; readonly cause: CatalogueFault };
