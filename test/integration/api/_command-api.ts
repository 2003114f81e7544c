import { startComponent } from '../../helpers/component-process.ts';

/** A further command API on the servers of a stack, without a launcher that restarts it. */
export type CommandApi = {
  /** The URL of its `/v1/renders`. */
  readonly renders: string;
  readonly kill: () => Promise<void>;
  readonly end: () => Promise<unknown>;
};

export const startCommandApi = async (env: Readonly<Record<string, string>>): Promise<CommandApi> => {
  const { url, kill, end } = await startComponent('command-api', env);
  return { renders: `${url}/v1/renders`, kill, end };
};
