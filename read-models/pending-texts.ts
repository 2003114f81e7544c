import type { Collection } from 'mongodb';
import type { PayloadRef } from '../domain/event/payload.ts';

/** Why a text was not read: `refused` lasts until somebody changes it, `unavailable` may pass without a change. */
export type PendingFault = 'unavailable' | 'refused';

/**
 * `catalogue_pending_texts_g<generation>`, `render_pending_names_g<generation>`: a text of an accepted event that the
 * blob store did not serve in time, so the fold continued without it. The transaction of the fold writes the row. The
 * transaction that fills the text in, or the erasure of its subject, deletes it.
 */
export type PendingText = {
  readonly _id: string;
  readonly partition: number;
  /** Position of the event. */
  readonly offset: number;
  readonly payload: PayloadRef;
  readonly fault: PendingFault;
  readonly since: Date;
  /** Failed reads since. */
  readonly tries: number;
};

/** The rows of one generation. */
export type PendingTexts<Row extends PendingText> = Collection<Row>;

/**
 * A pending text of a project: `_id` is `<project_id>:<version>`, with version 0 for the name that it was created with.
 */
export type PendingProjectText = PendingText & { readonly project_id: string; readonly version: number };

/** A pending name: `_id` is the render's. */
export type PendingName = PendingText & {
  /** Hash of name and salt, as the event has it. */
  readonly name_sha256: string;
};

/** Texts that fail repeatedly do not delay new ones. */
export const BY_TRIES = { key: { tries: 1, _id: 1 } } as const;
