import { isErased, type Render, type RenderStatus } from '../../domain/render/render.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';

/** `renders_g<generation>`: one document for each render id in an event, even if the fold ignored every event. */
export type RenderDocument = {
  readonly _id: string;
  readonly partition: number;
  readonly offset: number;
  readonly render: Render | null;
  /**
   * The name, if the log does not have it in clear text; empty if its key is lost. Null while it is pending and after
   * the erasure, which hides the render. Absent if the log has the name, and while `render` is null.
   */
  readonly name?: string | null;
  /** Name and salt give the hash in the log. Null or absent like the name, and null if the name was sealed. */
  readonly name_salt?: string | null;
  /** In log order. Ignored events are kept up to a limit; `ignored_count` counts all. */
  readonly facts: readonly StoredEvent[];
  readonly ignored_count: number;
  readonly project_id: string | null;
  readonly account_id: string | null;
  readonly status: RenderStatus | null;
  /** True while the render is neither complete nor failed. Dispatchers load these renders. */
  readonly open: boolean;
  /** `<project>:<13-digit created_at><id>`: one range and one sort for each list. */
  readonly by_project: string | null;
  readonly by_project_status: string | null;
  /** `<team>:<status>:<13-digit created_at><id>`. The list of a team without a status uses an audit token. */
  readonly by_team_status: string | null;
  /** `<13-digit created_at><id>`: the order of search results; null while `render` is null. */
  readonly position: string | null;
  /**
   * Search tokens, each after `<project>:`, and the tokens of the audit's and the team's lists (`requestTokens`). Empty
   * while `render` is null.
   */
  readonly search: readonly string[];
};

/** Documents older than erasure lack `erased_at`, and those older than seals lack `sealed`. */
export const upgradeRender = <D extends Pick<RenderDocument, 'render'>>(document: D): D => {
  const { render } = document;
  if (render === null) return document;
  const { erased_at = null, sealed = null } = render as Partial<Render>;
  return { ...document, render: { ...render, erased_at, sealed } };
};

/** The event without the name and the sealed text. The key of the text stays, as it does in the render. */
export const withoutRequestTexts = (stored: StoredEvent): StoredEvent => {
  if (stored.verdict !== 'accepted' || stored.fact.type !== 'RenderRequested') return stored;
  const { fact } = stored;
  // Stored events that are older than seals lack the member.
  const sealed = fact.sealed == null ? {} : { sealed: { ...fact.sealed, box: '' } };
  return { ...stored, fact: { ...fact, name: '', ...sealed } };
};

/** A projection without the texts of the events, for queries that read many documents. A box has up to 11 KB. */
export const FACTS_WITHOUT_TEXTS = {
  'facts.verdict': 1,
  'facts.offset': 1,
  'facts.appended_at': 1,
  'facts.fact.type': 1,
  'facts.fact.meta': 1,
  'facts.fact.attempt_id': 1,
} as const;

type Named = Pick<RenderDocument, 'render' | 'name'>;

/** The name that is shown. If the key of the name is lost, the id is shown. Null if the name is erased or pending. */
export const nameOf = ({ render, name }: Named): string | null => {
  if (render === null || isErased(render)) return null;
  const known = name === undefined ? render.name : name;
  return known === '' ? render.id : known;
};

export const renderWithName = (document: Named): Render | null => {
  const name = nameOf(document);
  return document.render === null || name === null ? null : { ...document.render, name };
};

/**
 * `credit_ledger_g<generation>`: the credits of one account's renders in one partition; `_id` is
 * `<account>/<partition>`.
 */
export type LedgerDocument = {
  readonly _id: string;
  readonly account_id: string;
  readonly partition: number;
  readonly offset: number;
  readonly reserved_credits: number;
  readonly charged_credits: number;
};

/** `render_caught_up_g<generation>`: the watermark of a partition, ms by the store's clock; `_id` is the partition. */
export type WatermarkDocument = { readonly _id: number; readonly at: number };

/** `live_progress`: the last reported progress of a render; `_id` is the render's. Expires. */
export type LiveProgressDocument = {
  readonly _id: string;
  readonly attempt_id: string;
  readonly frames_done: number;
  readonly frames_total: number;
  readonly stage: string;
  readonly at: Date;
};
