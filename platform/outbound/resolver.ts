import { lookup, Resolver } from 'node:dns/promises';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { withTimeout } from '../process/within.ts';
import type { PostFault } from './post-result.ts';

export type NameResolver = {
  /** IPv4 addresses first; never empty. Concurrent look-ups of one name share the answer. */
  readonly resolve: (name: string) => Promise<Either<PostFault, readonly string[]>>;
  readonly close: () => void;
};

export type NameResolverOptions = {
  /** Null: the system's servers. */
  readonly servers: readonly string[] | null;
  /** Whether to look up unknown names through the system: its hosts file and its search domains. */
  readonly asks_system: boolean;
};

type Answer = { readonly addresses: readonly string[]; readonly code: string | null };

/** Ten seconds in total with one server. */
const RESOLVER_OPTIONS = { timeout: 2_000, maxTimeout: 4_000, tries: 3 } as const;

/**
 * Some name servers never answer one of the two queries, for IPv4 and IPv6. After the first answer, the other query has
 * this long.
 */
const OTHER_FAMILY_MS = 1_000;

/**
 * Maximum of concurrent look-ups by the system. Each occupies one of Node's four threads, cannot be aborted, and may
 * hang.
 */
const AT_ONCE_BY_SYSTEM = 2;

const NOTHING: Answer = { addresses: [], code: null };
const LOOPBACK = ['127.0.0.1', '::1'] as const;
const UNKNOWN: readonly (string | null)[] = ['ENOTFOUND', 'ENODATA'];

const isLocal = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';

const answerOf = (query: Promise<readonly string[]>): Promise<Answer> =>
  query.then(
    (addresses) => ({ addresses, code: null }),
    (error: unknown) => ({ addresses: [], code: codeOf(error) }),
  );

/** Resolves as empty if `answer` comes too long after `other` has returned addresses. */
const notMuchAfter = async (other: Promise<Answer>, answer: Promise<Answer>): Promise<Answer> => {
  const late = other.then(({ addresses }) =>
    addresses.length > 0 ? withTimeout(OTHER_FAMILY_MS, answer, () => NOTHING) : answer,
  );
  return Promise.race([answer, late]);
};

const faultOf = (codes: readonly (string | null)[]): PostFault => {
  if (codes.includes('ECANCELLED')) return { code: 'stopped', message: 'The look-up of the host name was stopped.' };
  if (codes.includes('ETIMEOUT')) return { code: 'timeout', message: 'The look-up of the host name timed out.' };
  const odd = codes.find((code) => code !== null && !UNKNOWN.includes(code));
  return {
    code: 'name_not_found',
    message: odd === undefined ? 'The host name does not exist.' : `The look-up of the host name failed (${odd}).`,
  };
};

/**
 * A hanging query to a name server delays no other look-up, because it uses none of Node's threads. Nothing is cached:
 * a changed name takes effect at the next connection. `localhost` and names below it are always this machine.
 */
export const openResolver = ({ servers, asks_system }: NameResolverOptions): NameResolver => {
  const asking = new Set<Resolver>();
  const slots = pLimit(AT_ONCE_BY_SYSTEM);
  const under_way = new Map<string, Promise<Either<PostFault, readonly string[]>>>();

  // Each name gets a new resolver, because a resolver adapts its timeout to earlier answers.
  const byServers = async (name: string): Promise<readonly Answer[]> => {
    const resolver = new Resolver(RESOLVER_OPTIONS);
    if (servers !== null) resolver.setServers(servers);
    asking.add(resolver);
    const [v4, v6] = [answerOf(resolver.resolve4(name)), answerOf(resolver.resolve6(name))];
    const answers = await Promise.all([notMuchAfter(v6, v4), notMuchAfter(v4, v6)]);
    asking.delete(resolver);
    resolver.cancel();
    return answers;
  };

  const bySystem = async (name: string): Promise<readonly string[]> => {
    const { addresses } = await answerOf(
      slots(async () => (await lookup(name, { all: true, order: 'ipv4first' })).map(({ address }) => address)),
    );
    return addresses;
  };

  const resolve = async (name: string): Promise<Either<PostFault, readonly string[]>> => {
    if (isLocal(name)) return right(LOOPBACK);
    const answers = await byServers(name);
    const addresses = answers.flatMap((answer) => answer.addresses);
    if (addresses.length > 0) return right(addresses);
    const fault = faultOf(answers.map(({ code }) => code));
    const found = asks_system && fault.code === 'name_not_found' ? await bySystem(name) : [];
    return found.length > 0 ? right(found) : left(fault);
  };

  return {
    resolve: (name) => {
      const shared = under_way.get(name);
      if (shared !== undefined) return shared;
      const answer = resolve(name).finally(() => under_way.delete(name));
      under_way.set(name, answer);
      return answer;
    },
    close: () => {
      for (const resolver of asking) resolver.cancel();
    },
  };
};
