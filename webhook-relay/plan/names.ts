import type { Warn } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { RenderNames } from '../../read-models/renders/names.ts';
import type { NamesOf } from '../ports.ts';

/**
 * Names from the read model, which is never behind `render-status` unless its store was restored: then they are waited for.
 * A record of before fold version 3 has the name itself, for where the read model lacks the render.
 */
export const namesInStore =
  (find: RenderNames, warn: Warn, clock: Clock): NamesOf =>
  async (renders, signal) => {
    const known = new Map(renders.map(({ id, name }) => [id, name]));
    if (known.size === 0) return known;
    const read = async (): Promise<ReadonlyMap<string, string | null>> => {
      const found = await find([...known.keys()]);
      const lacking = [...known].find(([id, name]) => name === '' && !found.has(id));
      if (lacking !== undefined) throw new Error(`the read model lacks ${lacking[0]}`);
      return new Map([...known, ...found]);
    };
    const onFailure = (error: unknown): void => warn({ error }, 'the names of renders cannot be read yet');
    return await retry(read, { clock, signal, onFailure });
  };
