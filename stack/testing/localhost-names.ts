import dns from 'node:dns';

const system = dns.lookup;
const system_promise = dns.promises.lookup;

type Answer = (error: Error | null, address: string | readonly dns.LookupAddress[], family?: number) => void;

const THIS_MACHINE: dns.LookupAddress = { address: '127.0.0.1', family: 4 };

/**
 * Resolves names below `localhost` to this machine, as browsers and curl do (RFC 6761). Node uses the system's
 * resolver, which does not know such names on Debian.
 */
export const resolveLocalhostNames = (): void => {
  const lookup = (name: string, options: dns.LookupOptions, answer: Answer): void => {
    if (!name.endsWith('.localhost')) system(name, options, answer);
    else if (options.all === true) answer(null, [THIS_MACHINE]);
    else answer(null, THIS_MACHINE.address, THIS_MACHINE.family);
  };
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, {
    lookup: async (name: string, options: dns.LookupOptions) => {
      if (!name.endsWith('.localhost')) return await system_promise(name, options);
      return options.all === true ? [THIS_MACHINE] : THIS_MACHINE;
    },
  });
};
