import { isErased, type Render, type RenderStatus } from '../../domain/render/render.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';

/** `renders_g<generation>`: one for each render id in an event, even if every event was ignored. */
export type RenderDocument = {
  readonly _id: string;
  readonly partition: number;
  /** Offset of the last event that was folded into it, ignored or not. */
  readonly offset: number;
  /** Null while no event was accepted. */
  readonly render: Render | null;
  /**
   * The name, if the log does not have it; null after the erasure, which hides the render. Absent if the log has the
   * name, and while `render` is null.
   */
  readonly name?: string | null;
  /** Together with the name it gives the hash in the log; null or absent with it. */
  readonly name_salt?: string | null;
  /** In log order. Ignored ones are kept up to a limit; `ignored_count` counts all. */
  readonly facts: readonly StoredEvent[];
  readonly ignored_count: number;
  /** Members that queries use; null as long as `render` is null. */
  readonly project_id: string | null;
  readonly account_id: string | null;
  readonly status: RenderStatus | null;
  /** True while it is neither complete nor failed: dispatchers load these. */
  readonly open: boolean;
  /** `<project>:<13-digit created_at><id>`: one range and one sort for each list. */
  readonly by_project: string | null;
  readonly by_project_status: string | null;
  /** `<team>:<status>:<13-digit created_at><id>`. The list of a team without a status uses an audit token. */
  readonly by_team_status: string | null;
  /** `<13-digit created_at><id>`: the order of search results; null while `render` is. */
  readonly position: string | null;
  /**
   * Search tokens, each after `<project>:`, and the tokens by which the audit and the team list its request
   * (`requestTokens`); empty while `render` is null.
   */
  readonly search: readonly string[];
};

/** Upgrades a document that was folded before renders could be erased. */
export const withErasure = <D extends Pick<RenderDocument, 'render'>>(document: D): D => {
  const { render } = document;
  return render === null ? document : { ...document, render: { ...render, erased_at: render.erased_at ?? null } };
};

type Named = Pick<RenderDocument, 'render' | 'name'>;

/** The name of a render; null if it was never requested, or was erased and is not shown. */
export const nameOf = ({ render, name }: Named): string | null =>
  render === null || isErased(render) ? null : name === undefined ? render.name : name;

/** The render with its name, wherever it is stored; null if it is not shown. */
export const shownRender = (document: Named): Render | null => {
  const name = nameOf(document);
  return document.render === null || name === null ? null : { ...document.render, name };
};

/**
 * `credit_ledger_g<generation>`: credits that the renders of one account in one partition reserve and were charged;
 * `_id` is `<account>/<partition>`. An account's balance is its granted credits minus the sum of both over its
 * documents.
 */
export type LedgerDocument = {
  readonly _id: string;
  readonly account_id: string;
  readonly partition: number;
  /** Offset of the last event that counts in it. */
  readonly offset: number;
  /** Credits reserved for renders that are not final. */
  readonly reserved_credits: number;
  /** Credits that completed renders were charged. */
  readonly charged_credits: number;
};

/** `render_caught_up_g<generation>`: everything in the partition at `at` (ms, by the clock of the store) was folded. */
export type WatermarkDocument = { readonly _id: number; readonly at: number };

/** `live_progress`: expires. */
export type LiveProgressDocument = {
  readonly _id: string;
  readonly attempt_id: string;
  readonly frames_done: number;
  readonly frames_total: number;
  readonly stage: string;
  readonly at: Date;
};
