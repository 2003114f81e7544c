import { freePort, portFault, reservePort } from '../../stack/process/ports.ts';
import { healthPort, type StackPorts } from '../../stack/stack-ports.ts';

export const freeStackPorts = async (processes: readonly string[]): Promise<StackPorts> => {
  for (;;) {
    const [first_health, gateway, kafka, registry, store, blob, provider] = await Promise.all([
      ...([freePort(), freePort(), freePort(), freePort(), freePort(), freePort(), freePort()] as const),
    ]);
    const health = processes.map((name) => healthPort(first_health, name));
    const reserved = await Promise.all(health.map((port) => port === first_health || reservePort(port)));
    const faults = await Promise.all(health.map(portFault));
    if (reserved.every(Boolean) && faults.every((fault) => fault === null))
      return { gateway, kafka, registry, store, blob, provider, first_health };
  }
};
