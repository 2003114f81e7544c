import type { RenderEvent } from '../../domain/render/events.ts';

const cachedText = (frames: number | null): string => (frames === null || frames === 0 ? '' : `, ${frames} cached`);

export const eventDetail = (event: RenderEvent): string | null => {
  switch (event.type) {
    case 'RenderRequested':
      return event.draft === true ? 'a draft' : null;
    case 'RenderErased':
      return null;
    case 'RenderPrepared':
      return `${event.width}x${event.height}, ${event.frames} frames, ${event.price_credits} credits`;
    case 'RenderAssigned':
      return `attempt ${event.n}, ${event.worker_id}`;
    case 'AttemptLost':
      return event.detail === null ? event.reason : `${event.reason}: ${event.detail}`;
    case 'RenderProgressed':
      return `${event.frames_done} of ${event.frames_total} frames`;
    case 'RenderingFinished':
      return `${event.frames} frames in ${(event.engine_ms / 1000).toFixed(1)} s${cachedText(event.frames_cached)}`;
    case 'RenderCompleted':
      return event.outputs.map(({ variant }) => variant).join(', ');
    case 'RenderFailed':
      return `${event.stage}, ${event.code}: ${event.message}`;
  }
};
