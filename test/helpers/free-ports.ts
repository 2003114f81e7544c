import { freePort, portFault } from '../../stack/process/ports.ts';
import { healthPort, type StackPorts } from '../../stack/stack-ports.ts';

/** Fixed ports for a stack of these processes that are free now. */
export const freeStackPorts = async (processes: readonly string[]): Promise<StackPorts> => {
  for (;;) {
    const [first_health, gateway, kafka, registry, store, blob, provider] = await Promise.all([
      ...([freePort(), freePort(), freePort(), freePort(), freePort(), freePort(), freePort()] as const),
    ]);
    const health = processes.map((name) => healthPort(first_health, name));
    const faults = await Promise.all(health.map(portFault));
    const once = new Set([gateway, kafka, registry, store, blob, provider, ...health]);
    if (faults.every((fault) => fault === null) && once.size === 6 + health.length)
      return { gateway, kafka, registry, store, blob, provider, first_health };
  }
};
