import { existsSync } from 'node:fs';
import { confinedEnvironment } from './confined-environment.ts';
import { kernelLimits, prlimitOptions } from './limits.ts';
import type { ConfinedCommand, ConfinedProgram } from './sandbox.ts';

const SETPRIV = '/usr/bin/setpriv';
const PRLIMIT = '/usr/bin/prlimit';

/** On Linux, `--pdeathsig` makes the kernel kill the program when this process dies, even by kill -9. */
const WITH_PARENT = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : [];
const CAN_LIMIT = existsSync(PRLIMIT);

/** Sets no limit of processes, because the kernel counts processes by user. */
export const unconfinedCommand = async ({
  program,
  args,
  env,
  writes,
  bounds,
}: ConfinedProgram): Promise<ConfinedCommand> => {
  const limits = CAN_LIMIT
    ? [PRLIMIT, ...prlimitOptions(kernelLimits(bounds), ['as', 'data', 'fsize', 'cpu']), '--']
    : [];
  const [file = program, ...rest] = [...WITH_PARENT, ...limits, program, ...args];
  const { PATH = '' } = process.env;
  return { file, args: rest, env: confinedEnvironment(writes ?? '/', { PATH, ...env }), cwd: writes ?? '/', fd3: null };
};
