import * as t from 'io-ts';
import { registerSchemas } from './register.ts';
import { nullIfMissing, RegistryFault, type RegistrySettings, registryApi } from './registry-api.ts';
import type { SavedSchema } from './saved-schemas.ts';

export type RestoreResult = {
  /** Schemas that the registry had lost. */
  readonly restored: readonly SavedSchema[];
  /** The number of schemas that the registry had kept, under the saved ids. */
  readonly present: number;
};

const Stored = t.type({ schema: t.string });
const Registered = t.type({ id: t.number });
const Mode = t.type({ mode: t.string });
const Subjects = t.array(t.string);

const FILLERS = 'rendering.restore';
/** Limit of filler schemas, which use up the ids between the lost schemas. */
const MAX_FILLERS = 10_000;

const normal = (schema: string): string => JSON.stringify(JSON.parse(schema));

const refused = (message: string): RegistryFault => new RegistryFault(409, message);

/**
 * Restores each lost schema under its former id, because the records of the log contain the ids. Existing schemas do
 * not change. Rejects with `RegistryFault`, before any change if possible, if an id has another schema now or the
 * registry has already counted past it.
 */
export const restoreSchemas = async (
  settings: RegistrySettings,
  saved: readonly SavedSchema[],
): Promise<RestoreResult> => {
  const ask = registryApi(settings);
  const inOrder = saved.toSorted((a, b) => a.id - b.id);

  const lost: SavedSchema[] = [];
  for (const one of inOrder) {
    const stored = await nullIfMissing(ask('GET', `/schemas/ids/${one.id}`, Stored));
    if (stored === null) lost.push(one);
    else if (normal(stored.schema) !== normal(one.schema)) {
      throw refused(
        `the registry has another schema under the id ${one.id} of ${one.subject}: restore into an empty registry, or from a backup of the registry itself`,
      );
    }
  }
  const present = inOrder.length - lost.length;
  const [first] = lost;
  if (first === undefined) return { restored: [], present };

  const register = async (subject: string, body: Readonly<Record<string, unknown>>): Promise<number> => {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`;
    return (await ask('POST', path, Registered, { schemaType: 'AVRO', ...body })).id;
  };

  /** For registries like that of Confluent, which accept ids in the mode IMPORT. */
  const importAll = async (): Promise<void> => {
    for (const { id, subject, version, schema } of lost) {
      const mode = `/mode/${encodeURIComponent(subject)}`;
      await ask('PUT', `${mode}?force=true`, Mode, { mode: 'IMPORT' });
      try {
        const given = await register(subject, { id, version, schema });
        if (given !== id) throw refused(`the registry gave ${subject} the id ${given} instead of ${id}`);
      } finally {
        await ask('PUT', mode, Mode, { mode: 'READWRITE' });
      }
    }
  };

  const remove = async (subject: string): Promise<void> => {
    const path = `/subjects/${encodeURIComponent(subject)}`;
    await nullIfMissing(ask('DELETE', path, t.unknown));
    await nullIfMissing(ask('DELETE', `${path}?permanent=true`, t.unknown)).catch(() => undefined);
  };

  /** For registries that only count ids. Filler schemas use up the ids in between, and are then removed. */
  const countAll = async (): Promise<void> => {
    const passed = (id: number, last: number): RegistryFault =>
      refused(
        `the registry has given ids up to ${last}, so it cannot give ${id} again: restore into an empty registry`,
      );
    const subjects = await ask('GET', '/subjects', Subjects);
    if (first.id === 1 && subjects.length > 0) throw passed(1, subjects.length);
    let last = 0;
    let fillers = 0;
    /** The next id is known only if the registry is empty. */
    let is_known = first.id === 1;
    try {
      for (const { id, subject, schema } of lost) {
        while (!is_known || last < id - 1) {
          fillers += 1;
          if (fillers > MAX_FILLERS) throw refused(`more than ${MAX_FILLERS} ids are missing before ${id}`);
          const name = `Id${fillers}_${id}`;
          last = await register(FILLERS, { schema: JSON.stringify({ type: 'record', name, fields: [] }) });
          is_known = true;
          // A removed subject has no older version, so no compatibility check applies to the next filler.
          await remove(FILLERS);
          if (last >= id) throw passed(id, last);
        }
        last = await register(subject, { schema });
        if (last !== id) {
          await remove(subject);
          throw passed(id, last);
        }
      }
    } finally {
      if (fillers > 0) await remove(FILLERS);
    }
  };

  const takes_ids = (await nullIfMissing(ask('GET', '/mode', Mode))) !== null;
  await (takes_ids ? importAll() : countAll());
  // Compatibility is a setting of the subject, and was lost with it.
  await registerSchemas(
    settings,
    lost.map(({ subject, schema }) => ({ full_name: subject, avro: JSON.parse(schema) })),
  );
  return { restored: lost, present };
};
