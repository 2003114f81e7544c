import * as t from 'io-ts';
import type { AvroType } from '../../schemas/avro.ts';
import { nullIfMissing, RegistryFault, type RegistrySettings, registryApi } from './registry-api.ts';

export type SchemaToRegister = { readonly full_name: string; readonly avro: AvroType };

const COMPATIBILITY = 'FULL_TRANSITIVE';

const Registered = t.type({ id: t.number });
const Level = t.partial({ compatibilityLevel: t.string, compatibility: t.string });

/**
 * Registers schemas in the given order, each under its full name as subject. Every subject gets FULL_TRANSITIVE
 * compatibility. Returns the last id by full name. Rejects with `RegistryFault` if a change would break readers of the
 * log.
 */
export const registerSchemas = async (
  settings: RegistrySettings,
  schemas: readonly SchemaToRegister[],
): Promise<ReadonlyMap<string, number>> => {
  const ask = registryApi(settings);

  const holdToLevel = async (subject: string): Promise<void> => {
    const found = await nullIfMissing(ask('GET', `/config/${subject}`, Level));
    if ((found?.compatibilityLevel ?? found?.compatibility) === COMPATIBILITY) return;
    await ask('PUT', `/config/${subject}`, Level, { compatibility: COMPATIBILITY });
  };

  const registerOnce = async ({ full_name, avro }: SchemaToRegister): Promise<number> => {
    const subject = encodeURIComponent(full_name);
    const body = { schema: JSON.stringify(avro), schemaType: 'AVRO' };
    const present = await nullIfMissing(ask('GET', `/subjects/${subject}/versions`, t.array(t.number)));
    if (present !== null && present.length > 0) {
      await holdToLevel(subject);
      const same = await nullIfMissing(ask('POST', `/subjects/${subject}`, Registered, body));
      if (same !== null) return same.id;
    }
    const { id } = await ask('POST', `/subjects/${subject}/versions`, Registered, body);
    await holdToLevel(subject);
    return id;
  };

  /** If a concurrent deploy step causes a conflict, the second try finds the schema that the other step registered. */
  const register = (schema: SchemaToRegister): Promise<number> =>
    registerOnce(schema).catch((error: unknown) => {
      if (error instanceof RegistryFault && error.status === 409) return registerOnce(schema);
      throw error;
    });

  const ids = new Map<string, number>();
  for (const schema of schemas) {
    try {
      ids.set(schema.full_name, await register(schema));
    } catch (error) {
      if (!(error instanceof RegistryFault)) throw error;
      throw new RegistryFault(error.status, `${schema.full_name}: ${error.message}`);
    }
  }
  return ids;
};
