import type { Catalogue } from '../../catalogue/change.ts';
import { actor } from '../../domain/event/meta.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { PageReader } from '../../read-models/page.ts';
import type { Person } from './person.ts';

/** What routes read, and append to. */
export type Commands = {
  readonly records: RecordLog;
  readonly read_model: CatalogueReadModel;
  readonly readPage: PageReader;
  readonly clock: Clock;
};

/** Less than the gateway waits for an answer. */
const WAIT_TIMEOUT_MS = 10_000;

/** The catalogue as this person changes it: the fold judges by their role. */
export const catalogueOf = ({ records, read_model, clock }: Commands, { user_id }: Person): Catalogue => ({
  ...{ records, read_model, clock },
  actor: actor('user', user_id),
  wait_timeout_ms: WAIT_TIMEOUT_MS,
});
