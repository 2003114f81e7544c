import type { Collection } from 'mongodb';
import type { PayloadRef } from '../domain/event/payload.ts';
import type { SealedRecord } from '../platform/seals/opener.ts';

/** `refused` lasts until an operator changes the settings, `unavailable` may pass without a change. */
export type PendingFault = 'unavailable' | 'refused';

/**
 * A text of an accepted event that the blob store did not serve in time, so the fold continued without it. Collections:
 * `catalogue_pending_texts_g<generation>`, `render_pending_names_g<generation>`. The fold's transaction writes the row.
 * The transaction that fills in the text, or erases its subject, deletes the row.
 */
export type PendingText = {
  readonly _id: string;
  readonly partition: number;
  readonly offset: number;
  /** For a sealed text, the path of its key tree, with an empty hash. */
  readonly payload: PayloadRef;
  readonly fault: PendingFault;
  readonly since: Date;
  readonly tries: number;
};

export type PendingTexts<Row extends PendingText> = Collection<Row>;

/** `_id` is `<project_id>:<version>`; version 0 is the name from the project's creation. */
export type PendingProjectText = PendingText & { readonly project_id: string; readonly version: number };

export type PendingName = PendingText & {
  /** Hash of name and salt, as in the event. Empty if the name is sealed. */
  readonly name_sha256: string;
  /** The sealed name. Absent if a payload has the name. */
  readonly sealed?: SealedRecord;
};

/** Texts with fewer attempts are read first, so that texts that fail repeatedly do not delay new ones. */
export const PENDING_TEXTS_INDEX = { key: { tries: 1, _id: 1 } } as const;
