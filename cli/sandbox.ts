import * as E from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../platform/configuration/configuration.ts';
import { SANDBOX } from '../platform/configuration/parts.ts';
import type { Sandbox } from '../platform/sandbox/sandbox.ts';
import type { CliFault } from './fault.ts';

const open = async (env: NodeJS.ProcessEnv): Promise<E.Either<CliFault, Sandbox>> => {
  const settings = decodeConfiguration(env, { sandbox: SANDBOX });
  if (E.isLeft(settings)) return E.left({ tag: 'not_configured', faults: settings.left });
  // Imported on demand, because it loads slowly.
  const { NoSandbox, openSandbox } = await import('../platform/sandbox/open-sandbox.ts');
  try {
    return E.right(await openSandbox(settings.right.sandbox));
  } catch (error) {
    if (error instanceof NoSandbox) return E.left({ tag: 'engine_failed', message: error.message });
    throw error;
  }
};

let opened: Promise<E.Either<CliFault, Sandbox>> | null = null;

/** The sandbox for reading and drawing project files. It is tested once per run of renderctl. */
export const cliSandbox = (env: NodeJS.ProcessEnv = process.env): Promise<E.Either<CliFault, Sandbox>> => {
  opened ??= open(env);
  return opened;
};
