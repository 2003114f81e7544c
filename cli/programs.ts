import * as E from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { ENGINE } from '../platform/configuration/parts.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { CliFault } from './fault.ts';
import { cliSandbox } from './sandbox.ts';

export type Programs = { readonly ffmpeg_path: string; readonly ffprobe_path: string; readonly sandbox: Sandbox };

export const openPrograms = async (env: NodeJS.ProcessEnv): Promise<E.Either<CliFault, Programs>> => {
  const settings = decodeConfiguration(env, { engine: ENGINE });
  if (E.isLeft(settings)) return E.left({ tag: 'not_configured', faults: settings.left });
  const { ffmpeg: ffmpeg_path, ffprobe: ffprobe_path } = settings.right.engine;
  const sandbox = await cliSandbox(env);
  return E.isLeft(sandbox) ? sandbox : E.right({ ffmpeg_path, ffprobe_path, sandbox: sandbox.right });
};
