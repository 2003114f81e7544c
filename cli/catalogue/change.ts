import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type { Db } from 'mongodb';
import type { CatalogueEvent } from '../../domain/catalogue/events.ts';
import { nameFault } from '../../domain/composition/text-rules.ts';
import { inTime, isTooLate } from '../../platform/read-store/in-time.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueIgnoredDocument } from '../../read-models/catalogue/documents.ts';
import type { CliFault } from '../fault.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { howToRepeat, refusalText, subjectOf } from './refusal.ts';

/** Where a change is appended, and where it is waited for. */
export type Catalogue = { readonly records: RecordLog; readonly db: Db; readonly actor: string };

/** A change that stands in the log and that the read model shows. `repeated`: it had been made before. */
export type Changed = { readonly view: CatalogueView; readonly repeated: boolean };

/** An entity as a change left it. `repeated` where it was so before, and nothing has changed. */
export type After<A> = A & { readonly repeated?: true };

const SHOWN_WITHIN_MS = 15_000;
const POLL_MS = 20;

/** What the read model made of one event. */
type Shown = { readonly view: CatalogueView; readonly ignored: CatalogueIgnoredDocument | null };

const look = async (db: Db, offset: number): Promise<Shown | null> => {
  // Asked for anew each time: a rebuilt generation may take over meanwhile.
  const view = await catalogueView(db);
  const checkpoint = await view.checkpoints.findOne({ _id: 0 }, inTime());
  if (checkpoint === null || checkpoint.next <= offset) return null;
  return { view, ignored: await view.ignored.findOne({ _id: offset }, inTime()) };
};

/** The store does not answer, now. */
export const isAway = (error: unknown): boolean =>
  isTooLate(error) || (error instanceof Error && error.name.startsWith('Mongo'));

/** The event is in the log already: a store that is away is waited for like a projector that is behind. */
const waitUntilShown = async (db: Db, offset: number): Promise<Shown | null> => {
  const began_at = performance.now();
  while (performance.now() - began_at < SHOWN_WITHIN_MS) {
    const shown = await look(db, offset).catch((error: unknown) => {
      if (isAway(error)) return null;
      throw error;
    });
    if (shown !== null) return shown;
    await wait(POLL_MS);
  }
  return null;
};

/** What an event calls something from now on. The name of a version is that of its document, which may be of old. */
const newName = (event: CatalogueEvent): string | null =>
  'name' in event && event.type !== 'ProjectVersionAdded' ? event.name : null;

/** A name that may not be given. Nothing is appended, as the log would keep it for ever. */
export const nameRefused = (name: string | null): CliFault | null => {
  const fault = name === null ? null : nameFault(name);
  return fault === null ? null : { tag: 'refused', reason: 'name_refused', message: `the name ${fault}` };
};

const NEVER = async (): Promise<boolean> => false;

/**
 * Appends an event of the catalogue and waits until the read model has folded it.
 *
 * @param stands looks whether what is wanted is there already: then a refusal is none, but a repeat of a command that
 *   was cut off
 * @returns on the left `refused` with a sentence for a person when the fold ignored it or a name may not be given,
 *   `not_appended`, `outcome_unknown`, or `not_shown` when it is in the log but did not show in time
 */
export const changeCatalogue = async (
  { records, db }: Catalogue,
  event: CatalogueEvent,
  stands: (view: CatalogueView) => Promise<boolean> = NEVER,
): Promise<E.Either<CliFault, Changed>> => {
  const refused = nameRefused(newName(event));
  if (refused !== null) return E.left(refused);
  const appended = await records.append('catalogue-events', subjectOf(event), event, { partition: 0 });
  if (E.isLeft(appended)) {
    const { tag, message } = appended.left;
    return E.left(tag === 'outcome_unknown' ? { tag, message, next_step: howToRepeat(event) } : { tag, message });
  }
  const { offset } = appended.right;
  const shown = await waitUntilShown(db, offset);
  if (shown === null) return E.left({ tag: 'not_shown', offset, waited_ms: SHOWN_WITHIN_MS });
  const { view, ignored } = shown;
  if (ignored === null) return E.right({ view, repeated: false });
  if (await stands(view)) return E.right({ view, repeated: true });
  return E.left({ tag: 'refused', reason: ignored.reason, message: refusalText(event, ignored.reason) });
};

/**
 * As {@link changeCatalogue}, and reads the entity that was changed.
 *
 * @param read of that entity: a fault where it is not there
 * @param is_wanted whether the entity is what the change was to make of it
 */
export const changed = async <A extends object>(
  catalogue: Catalogue,
  event: CatalogueEvent,
  read: (view: CatalogueView) => Promise<E.Either<CliFault, A>>,
  is_wanted: (entity: A) => boolean,
): Promise<E.Either<CliFault, After<A>>> => {
  const change = await changeCatalogue(catalogue, event, async (view) => {
    const found = await read(view);
    return E.isRight(found) && is_wanted(found.right);
  });
  if (E.isLeft(change)) return change;
  const { view, repeated } = change.right;
  const found = await read(view);
  return E.isLeft(found) ? found : E.right({ ...found.right, ...(repeated ? { repeated } : {}) });
};
