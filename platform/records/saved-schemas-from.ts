import { readDeployment } from '../event-log/deployment-log.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { withTimeout } from '../process/within.ts';
import { type SavedSchema, savedSchemasIn } from './saved-schemas.ts';

/** Neither method rejects: a schema that cannot be read now counts as not saved. */
export type SavedSchemas = {
  readonly idOf: (subject: string, schema: string) => Promise<number | undefined>;
  readonly schemaOf: (id: number) => Promise<string | undefined>;
};

const READ_MS = 2_000;
/**
 * The log is read again for unknown ids, because they may be new. This pause bounds the reads that random bytes can
 * cause.
 */
const READ_AGAIN_MS = 5_000;

/** Reads the log at the first look-up, and again for unknown ids. */
export const savedSchemasFrom = (log: Pick<EventLog, 'bounds' | 'replay'>, logger: Logger): SavedSchemas => {
  const known = new Map<number, SavedSchema>();
  let next = 0;
  let read_at = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;

  const readOn = async (): Promise<void> => {
    try {
      const read = await readDeployment(log, next);
      for (const schema of savedSchemasIn(read.entries)) known.set(schema.id, schema);
      next = read.next;
    } catch (error) {
      logger.debug({ reason: messageOf(error) }, 'the saved schemas cannot be read');
    } finally {
      read_at = performance.now();
      reading = null;
    }
  };

  const found = async <A>(look: () => A | undefined): Promise<A | undefined> => {
    const before = look();
    if (before !== undefined || performance.now() - read_at < READ_AGAIN_MS) return before;
    reading ??= readOn();
    await withTimeout(READ_MS, reading, () => undefined);
    return look();
  };

  return {
    idOf: (subject, schema) =>
      found(() => [...known.values()].find((one) => one.subject === subject && one.schema === schema)?.id),
    schemaOf: (id) => found(() => known.get(id)?.schema),
  };
};
