import { messageOf } from '../logging/message-of.ts';
import { withTimeout } from './within.ts';

/** Problems by name. A component is ready while it has none. */
export type Readiness = {
  /** Null clears the problem. */
  readonly set: (name: string, problem: string | null) => void;
  readonly has: (name: string) => boolean;
  /** The probe runs at each readiness check. It resolves to the problem, or null. */
  readonly check: (name: string, probe: () => Promise<string | null>) => void;
  /** Reports a mode of operation that can vary; it is shown beside the readiness. */
  readonly state: (name: string, how: string) => void;
  readonly states: () => Readonly<Record<string, string>>;
  readonly problems: () => Promise<Readonly<Record<string, string>>>;
};

const PROBE_TIMEOUT_MS = 2_500;

const bounded = async (probe: () => Promise<string | null>): Promise<string | null> => {
  try {
    return await withTimeout(PROBE_TIMEOUT_MS, probe(), () => `does not answer within ${PROBE_TIMEOUT_MS} ms`);
  } catch (error) {
    return messageOf(error);
  }
};

export const createReadiness = (): Readiness => {
  const stated = new Map<string, string>();
  const ways = new Map<string, string>();
  const probes = new Map<string, () => Promise<string | null>>();
  return {
    set: (name, problem) => {
      if (problem === null) stated.delete(name);
      else stated.set(name, problem);
    },
    has: (name) => stated.has(name),
    state: (name, how) => {
      ways.set(name, how);
    },
    states: () => Object.fromEntries(ways),
    check: (name, probe) => {
      probes.set(name, probe);
    },
    problems: async () => {
      const probed = await Promise.all(
        Array.from(probes, async ([name, probe]) => ({ name, problem: await bounded(probe) })),
      );
      const found = probed.flatMap(({ name, problem }) => (problem === null ? [] : [[name, problem] as const]));
      return Object.fromEntries([...found, ...stated]);
    },
  };
};
