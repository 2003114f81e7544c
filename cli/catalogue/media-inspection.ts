import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { CommandContext } from '../commands/command.ts';
import { errorCodeOf } from '../folder-fault.ts';
import { inspectionProgress } from './look-progress.ts';
import { type MediaInspection, NO_INSPECTION } from './project-files.ts';

/** Inspects media with the engine's programs. It locates them and loads their code only if the project has media. */
export const mediaInspection = async ({
  connection,
  stderr,
  stop,
}: Pick<CommandContext, 'connection' | 'stderr' | 'stop'>): Promise<MediaInspection> => {
  const [{ inspectMedia: lookInto }, { checkFilms }] = await Promise.all([
    import('./media-look.ts'),
    import('./film-check.ts'),
  ]);
  return {
    ...NO_INSPECTION,
    inspect: async (assets) => {
      const media = assets.filter(({ stored: { kind } }) => kind !== 'font');
      if (media.length === 0) return E.right(assets.map(() => null));
      const programs = await connection.programs();
      if (E.isLeft(programs)) return programs;
      const progress = inspectionProgress(stderr, media.length);
      try {
        return await lookInto(assets, { programs: programs.right, stop, on_inspected: progress.inspected });
      } catch (error) {
        // A system error here means that the temporary folder is missing or full.
        if (typeof errorCodeOf(error) !== 'string') throw error;
        return E.left({ tag: 'media_not_read', message: messageOf(error) });
      } finally {
        progress.stop();
      }
    },
    films: checkFilms,
  };
};
