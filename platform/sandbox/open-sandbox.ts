import { messageOf } from '../logging/message-of.ts';
import { confineByFilter } from './filtered.ts';
import { findProgram } from './find-program.ts';
import { confineByNamespaces } from './namespaces.ts';
import type { Sandbox } from './sandbox.ts';
import { sandboxUsers } from './sandbox-users.ts';
import { testSandbox } from './self-test.ts';
import { CONFINE_SCRIPT, PYTHON, systemCallFilter } from './system-call-filter.ts';
import { unconfinedCommand } from './unconfined.ts';

export type SandboxSettings = {
  /** `required` fails without an isolating sandbox, `preferred` takes the best one, `off` only applies limits. */
  readonly wanted: 'required' | 'preferred' | 'off';
  /** The only mode to try. By default both, the better one first. */
  readonly mode?: 'namespaces' | 'filtered' | undefined;
  /** Further folders that programs may read, such as the folder of an ffmpeg outside the system's paths. */
  readonly readable?: readonly string[] | undefined;
};

export class NoSandbox extends Error {
  override readonly name = 'NoSandbox';
}

const isRoot = (): boolean => process.getuid?.() === 0;

type Untested = Pick<Sandbox, 'mode' | 'confine'>;

const namespaces = async (readable: readonly string[]): Promise<Untested> => {
  const bwrap = findProgram('bwrap');
  if (bwrap === null) throw new Error('bubblewrap is not installed (Debian: apt-get install bubblewrap)');
  const uid = isRoot() ? sandboxUsers() : null;
  const confine = confineByNamespaces({ bwrap, uid, filter: await systemCallFilter(), readable });
  return { mode: 'namespaces', confine };
};

const filtered = async (readable: readonly string[]): Promise<Untested> => {
  const uid = isRoot() ? sandboxUsers() : null;
  const confine = confineByFilter({ python: PYTHON, script: CONFINE_SCRIPT, uid, readable });
  return { mode: 'filtered', confine };
};

/**
 * Returns the fault as text if programs cannot run, or if the namespaces do not isolate. Otherwise `reason` says what
 * the sandbox does not prevent.
 */
const tested = async (open: () => Promise<Untested>): Promise<Sandbox | string> => {
  try {
    const sandbox = await open();
    const { faults, reaches } = await testSandbox(sandbox);
    const all = [...faults, ...reaches].join('; ');
    if (faults.length > 0 || (sandbox.mode === 'namespaces' && reaches.length > 0)) return all;
    return { ...sandbox, isolates: reaches.length === 0, reason: all === '' ? null : all };
  } catch (error) {
    return messageOf(error).split('\n')[0] ?? '';
  }
};

/**
 * The best sandbox that passes its test. If this process is root, the sandbox's users can read the files that it writes
 * from now on; folders protect them from other users. Rejects with `NoSandbox` if a sandbox is required and none
 * isolates.
 */
export const openSandbox = async ({ wanted, mode, readable = [] }: SandboxSettings): Promise<Sandbox> => {
  if (wanted === 'off') return { mode: 'none', isolates: false, reason: 'SANDBOX=off', confine: unconfinedCommand };
  if (isRoot()) process.umask(0o022);
  const reasons: string[] = [];
  const ways = { namespaces: () => namespaces(readable), filtered: () => filtered(readable) };
  for (const way of mode === undefined ? (['namespaces', 'filtered'] as const) : [mode]) {
    const found = await tested(ways[way]);
    const fault = typeof found === 'string' ? found : found.reason;
    if (fault !== null) reasons.push(`${way}: ${fault}`);
    if (typeof found !== 'string' && (found.isolates || wanted === 'preferred'))
      return { ...found, reason: reasons.length === 0 ? null : reasons.join('. ') };
  }
  const reason = reasons.join('. ');
  if (wanted === 'required')
    throw new NoSandbox(
      `SANDBOX=required, and this machine has no sandbox for decoders. ${reason}. See docs/sandbox.md`,
    );
  return { mode: 'none', isolates: false, reason, confine: unconfinedCommand };
};
