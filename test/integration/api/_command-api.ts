import { startComponent } from '../../helpers/component-process.ts';

/** One more command API on the servers of a stack, which nobody starts again. */
export type CommandApi = {
  /** Its `/v1/renders`. */
  readonly renders: string;
  /** SIGKILL; resolves when it is gone. May be called again. */
  readonly kill: () => Promise<void>;
};

export const startCommandApi = async (env: Readonly<Record<string, string>>): Promise<CommandApi> => {
  const { url, kill } = await startComponent('command-api', env);
  return { renders: `${url}/v1/renders`, kill };
};
