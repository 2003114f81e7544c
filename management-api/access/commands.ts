import type { CatalogueWriter } from '../../catalogue/change.ts';
import { actor } from '../../domain/event/meta.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { PageReader } from '../../read-models/page.ts';
import type { Person } from './person.ts';

export type RouteDependencies = {
  readonly records: RecordLog;
  readonly read_model: CatalogueReadModel;
  readonly readPage: PageReader;
  readonly clock: Clock;
};

/** How long a command waits for the read model: shorter than the gateway's timeout for an answer. */
const WAIT_TIMEOUT_MS = 10_000;

/** Writes to the catalogue with this person as the actor. The fold checks the person's role. */
export const catalogueWriterFor = (
  { records, read_model, clock }: RouteDependencies,
  { user_id }: Person,
): CatalogueWriter => ({
  ...{ records, read_model, clock },
  actor: actor('user', user_id),
  wait_timeout_ms: WAIT_TIMEOUT_MS,
});
