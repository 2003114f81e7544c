/** Renders a film of some seconds with a cache folder, so that a test can kill it: node _long-render.ts FOLDER CACHE */
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { finalOf } from './_composition.ts';
import { optionsOf, rendered } from './_rendering.ts';

const grain = { id: 't', type: 'text', text: 'Long', font_size: 200, fade_in: 24 };

export const longRender = async (folder: string, cache: string) =>
  rendered({
    ...optionsOf(finalOf({ width: 854, height: 480, duration: 24, layers: [grain] }), folder),
    cache: await openFolderCache(cache),
    cores: 1,
    max_segment_frames: 30,
    on_progress: ({ frames_done }) => process.send?.(frames_done),
  });

const [folder, cache] = process.argv.slice(2);
if (import.meta.main && folder !== undefined && cache !== undefined) await longRender(folder, cache);
