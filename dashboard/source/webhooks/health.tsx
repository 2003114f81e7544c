import type { Schemas } from '../api/client.ts';
import { Time } from '../shown/time.tsx';

export const endpointHealth = ({ disabled, failing }: Schemas['Endpoint']) => {
  if (disabled !== null)
    return (
      <>
        Disabled ({disabled.reason.replaceAll('_', ' ')}) since <Time at={disabled.since} />
      </>
    );
  if (failing === null) return 'Healthy';
  return (
    <>
      {failing.exhausted} failed since <Time at={failing.since} />
    </>
  );
};
