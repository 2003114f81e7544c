import { startComponent } from '../../helpers/component-process.ts';

/** One more command API on the servers of a stack, which no launcher restarts. */
export type CommandApi = {
  /** Its `/v1/renders`. */
  readonly renders: string;
  /** SIGKILL; resolves when it is gone. May be called again. */
  readonly kill: () => Promise<void>;
  /** SIGTERM: it ends what it has begun, and gives back what it has leased. */
  readonly end: () => Promise<unknown>;
};

export const startCommandApi = async (env: Readonly<Record<string, string>>): Promise<CommandApi> => {
  const { url, kill, end } = await startComponent('command-api', env);
  return { renders: `${url}/v1/renders`, kill, end };
};
