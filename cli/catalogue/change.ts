import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CliFault } from '../fault.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { refusalText, subjectOf } from './refusal.ts';

/** Where a change is appended, and where it is waited for. */
export type Catalogue = { readonly records: RecordLog; readonly db: Db; readonly actor: string };

/** A change that stands in the log and that the read model shows. */
export type Changed = { readonly offset: number; readonly view: CatalogueView };

const SHOWN_WITHIN_MS = 15_000;
const POLL_MS = 20;

const waitUntilShown = async (db: Db, offset: number): Promise<CatalogueView | null> => {
  const began_at = performance.now();
  while (performance.now() - began_at < SHOWN_WITHIN_MS) {
    // Asked for anew each time: a rebuilt generation may take over meanwhile.
    const view = await catalogueView(db);
    const checkpoint = await view.checkpoints.findOne({ _id: 0 });
    if (checkpoint !== null && checkpoint.next > offset) return view;
    await wait(POLL_MS);
  }
  return null;
};

/**
 * Appends an event of the catalogue and waits until the read model has folded it.
 *
 * @returns on the left `refused` with a sentence for a person when the fold ignored it, `not_appended`,
 *   `outcome_unknown`, or `not_shown` when it is in the log but did not show in time
 */
export const changeCatalogue = async (
  { records, db }: Catalogue,
  event: CatalogueEvent,
): Promise<E.Either<CliFault, Changed>> => {
  const appended = await records.append('catalogue-events', subjectOf(event), event, { partition: 0 });
  if (E.isLeft(appended)) return E.left(appended.left);
  const { offset } = appended.right;
  const view = await waitUntilShown(db, offset);
  if (view === null) return E.left({ tag: 'not_shown', offset, waited_ms: SHOWN_WITHIN_MS });
  const ignored = await view.ignored.findOne({ _id: offset });
  if (ignored === null) return E.right({ offset, view });
  return E.left({ tag: 'refused', reason: ignored.reason, message: refusalText(event, ignored.reason) });
};
