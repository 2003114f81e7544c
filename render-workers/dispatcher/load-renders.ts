import type { Render } from '../../domain/render/render.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { DispatchDependencies } from './dispatch-dependencies.ts';
import { type ObservedStatus, type RenderObservation, statusReader } from './status-reader.ts';

export type RenderSink = {
  /** New records of `render-status`. */
  readonly onStatus: (read: readonly ObservedStatus[]) => void;
  readonly onLoaded: (seen: readonly RenderObservation[]) => void;
  /** All renders that wait for their first attempt. */
  readonly onWaiting: (waiting: readonly Render[]) => void;
};

/**
 * Loads all open renders from the read model, and follows `render-status` from a position before the load.
 *
 * @returns null if `signal` aborts during the load
 */
export const loadRenders = async (
  deps: DispatchDependencies,
  group: string,
  { onStatus, onLoaded, onWaiting }: RenderSink,
  signal: AbortSignal,
) => {
  const { records, renders } = deps;
  await deps.requireCaughtUp();
  const partitions = await records.log.partitions('render-status');
  const readAgain = async (partition: number): Promise<void> => {
    for await (const open of renders.all())
      onLoaded(open.filter(({ render }) => partitionOfKey(render.id, partitions) === partition));
    await renders.requireFolded(reader.published());
  };
  const reader = await statusReader(deps, group, onStatus, readAgain);
  // The read model is now at or past the reader's start position, so no record is missed between the two.
  await renders.requireFolded(reader.published());
  const waiting: Render[] = [];
  for await (const open of renders.all()) {
    if (signal.aborted) return null;
    onLoaded(open);
    for (const { render } of open) if (render.attempts.length === 0) waiting.push(render);
  }
  // Checks again, because the store may have been restored from a backup meanwhile.
  await renders.requireFolded(reader.published());
  onWaiting(waiting);
  return await reader.start();
};
