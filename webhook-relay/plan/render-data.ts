import { LRUCache } from 'lru-cache';
import type { Render } from '../../domain/render/render.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import type { RenderNames } from '../../read-models/renders/names.ts';
import { renderResource } from '../../schemas/http/public/render-resource.ts';
import type { Render as RenderResource } from '../../schemas/http/public/renders.ts';
import type { OutputUrlLookup, RenderNameLookup } from '../ports.ts';

const PENDING_WAIT_MS = 5_000;
const MAX_GIVEN_UP = 10_000;

/**
 * Reads the names of renders. Waits while the read model is behind `render-status`, for example after a restore of its
 * store. Records before fold version 3 contain the name. A name that is not readable in time counts as empty, so that
 * one blob never blocks a partition.
 */
export const namesInStore = (find: RenderNames, warn: Warn, clock: Clock): RenderNameLookup => {
  const given_up = new LRUCache<string, true>({ max: MAX_GIVEN_UP });
  return async (renders, signal) => {
    const known = new Map<string, string | null>(renders.map(({ id, name }) => [id, name]));
    if (known.size === 0) return known;
    const began = clock.monotonic();
    const read = async (): Promise<ReadonlyMap<string, string | null>> => {
      const { names, pending } = await find([...known.keys()]);
      const lacking = [...known].find(([id, name]) => name === '' && !names.has(id) && !pending.has(id));
      if (lacking !== undefined) throw new Error(`the read model lacks ${lacking[0]}`);
      const waited_for = [...pending].find((id) => !given_up.has(id));
      if (waited_for !== undefined && clock.monotonic() - began < PENDING_WAIT_MS)
        throw new Error(`the blob store has not served the name of ${waited_for} yet`);
      for (const id of pending) given_up.set(id, true);
      return new Map([...known, ...names]);
    };
    const onFailure = (error: unknown): void => warn({ error }, 'the names of renders cannot be read yet');
    return await retry(read, { clock, signal, onFailure });
  };
};

/** Only the beginning of `processing` changes the status, so a delivery never reports a later progress. */
const progressAtChange = ({ status }: Render): number | null => (status === 'processing' ? 0 : null);

/** The render as it was at the transition, with its current name. @param name null if the render was erased */
export const renderResourceWithName = async (
  outputOf: OutputUrlLookup,
  render: Render,
  name: string | null,
  stop: AbortSignal,
): Promise<RenderResource | null> => {
  if (name === null) return null;
  const named = { ...render, name };
  return renderResource(named, await outputOf(named, stop), progressAtChange(named));
};
