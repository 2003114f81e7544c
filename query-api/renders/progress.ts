import { openAttempt, type Render } from '../../domain/render/render.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import { progressNow } from '../../schemas/http/public/transitions-resource.ts';

type Source = Pick<Renders, 'progressOfAll' | 'findAll'>;

/** By render id, of those renders that are processed. A render without a heartbeat has its first report. */
export const progressOf = async (
  { progressOfAll, findAll }: Source,
  renders: readonly Render[],
): Promise<ReadonlyMap<string, number>> => {
  const processed = renders.filter(({ status }) => status === 'processing');
  if (processed.length === 0) return new Map();
  const live = await progressOfAll(processed.map(({ id }) => id));
  const lacking = processed.filter((render) => live.get(render.id)?.attempt_id !== openAttempt(render)?.id);
  const documents = lacking.length === 0 ? [] : await findAll(lacking.map(({ id }) => id));
  const events = new Map(documents.map(({ render, facts }) => [render?.id, facts]));
  return new Map(
    processed.map((render) => [
      render.id,
      progressNow(render, events.get(render.id) ?? [], live.get(render.id) ?? null) ?? 0,
    ]),
  );
};
