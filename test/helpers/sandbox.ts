import type { ProcessLimits } from '../../engine/process/run-process.ts';
import { openSandbox } from '../../platform/sandbox/open-sandbox.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import { unconfinedCommand } from '../../platform/sandbox/unconfined.ts';

/** The best sandbox of this machine, as components choose it. `SANDBOX_MODE` selects another. */
export const SANDBOX: Sandbox = await openSandbox({
  wanted: 'preferred',
  mode: process.env.SANDBOX_MODE === 'filtered' ? 'filtered' : undefined,
});

/** Limits only, for substitutes of programs: they are shell scripts and start other programs. */
export const UNCONFINED: Sandbox = { mode: 'none', isolates: false, reason: 'stand-ins', confine: unconfinedCommand };

export const limitsOf = (budget_ms = 60_000, sandbox = SANDBOX): ProcessLimits => ({
  signal: new AbortController().signal,
  budget_ms,
  sandbox,
});

export const BOUNDS = { memory_bytes: 2 ** 30, file_bytes: 2 ** 30 };
