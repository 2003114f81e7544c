import type { CatalogueWriter } from '../../catalogue/change.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { catalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { StackClients } from '../../stack/testing/stack-clients.ts';

/** The projectors of a loaded machine may need longer than the default wait. */
const WAIT_TIMEOUT_MS = 120_000;

/** Changes the catalogue of a stack as an operator does. */
export const testCatalogue = ({ records, store }: Pick<StackClients, 'records' | 'store'>): CatalogueWriter => ({
  records,
  read_model: catalogueReadModel(store.db),
  actor: 'operator:test',
  clock: SYSTEM_CLOCK,
  wait_timeout_ms: WAIT_TIMEOUT_MS,
});
