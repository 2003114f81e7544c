import { isErased, type Render, type RenderStatus } from '../../domain/render/render.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';

/** `renders_g<generation>`: one for each render id that an event named, even if every event was ignored. */
export type RenderDocument = {
  readonly _id: string;
  readonly partition: number;
  /** Offset of the last event that was folded into it, ignored or not. */
  readonly offset: number;
  /** Null while no event was accepted. */
  readonly render: Render | null;
  /**
   * The name, where the log does not have it; null once it was erased, so that the render is shown to nobody. Absent where
   * the log has it, and while `render` is null.
   */
  readonly name?: string | null;
  /** With the name it gives the hash that is in the log; null and absent with it. */
  readonly name_salt?: string | null;
  /** In log order. Ignored ones are kept up to a limit; `ignored_count` counts all. */
  readonly facts: readonly StoredEvent[];
  readonly ignored_count: number;
  /** Fields for queries; null while `render` is. */
  readonly project_id: string | null;
  readonly account_id: string | null;
  readonly status: RenderStatus | null;
  /** True while it is neither complete nor failed: what a dispatcher loads. */
  readonly open: boolean;
  /** `<project>:<13-digit created_at><id>`: one range and one sort for each way of listing. */
  readonly by_project: string | null;
  /** `<project>:<status>:<13-digit created_at><id>`. */
  readonly by_project_status: string | null;
  /** `<team>:<status>:<13-digit created_at><id>`; a team's without a status are listed by the token of the audit. */
  readonly by_team_status: string | null;
  /** `<13-digit created_at><id>`: the order within what a search finds; null while `render` is. */
  readonly position: string | null;
  /**
   * Search tokens, each after `<project>:`, and the tokens by which the audit and the team list its request
   * (`requestTokens`); empty while `render` is null.
   */
  readonly search: readonly string[];
};

/** A document that was folded before renders could be erased, as it is folded now. */
export const withErasure = <D extends Pick<RenderDocument, 'render'>>(document: D): D => {
  const { render } = document;
  return render === null ? document : { ...document, render: { ...render, erased_at: render.erased_at ?? null } };
};

type Named = Pick<RenderDocument, 'render' | 'name'>;

/** What a render is called; null where it was never requested, and where it was erased: then it is shown to nobody. */
export const nameOf = ({ render, name }: Named): string | null =>
  render === null || isErased(render) ? null : name === undefined ? render.name : name;

/** The render with its name, wherever that is kept; null where it is shown to nobody. */
export const shownRender = (document: Named): Render | null => {
  const name = nameOf(document);
  return document.render === null || name === null ? null : { ...document.render, name };
};

/**
 * `credit_ledger_g<generation>`: what the renders of one account in one partition hold and have cost; `_id` is
 * `<account>/<partition>`. An account's balance is what it was granted, less the sum of both over its documents.
 */
export type LedgerDocument = {
  readonly _id: string;
  readonly account_id: string;
  readonly partition: number;
  /** Offset of the last event that counts in it. */
  readonly offset: number;
  /** Credits held back for renders that are not final. */
  readonly reserved_credits: number;
  /** Credits that completed renders have cost. */
  readonly charged_credits: number;
};

/** `render_caught_up_g<generation>`: at `at` (ms, by the clock of the store) everything then in the partition was folded. */
export type WatermarkDocument = { readonly _id: number; readonly at: number };

/** `live_progress`: expires by itself. */
export type LiveProgressDocument = {
  readonly _id: string;
  readonly attempt_id: string;
  readonly frames_done: number;
  readonly frames_total: number;
  readonly stage: string;
  readonly at: Date;
};
