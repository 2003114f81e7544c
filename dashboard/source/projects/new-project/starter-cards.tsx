import { Loader, Paper, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { api, unwrapAnswer } from '../../api/client.ts';
import { ErrorMessage } from '../../shown/fault.tsx';
import { LoadedData } from '../../shown/loaded.tsx';
import { starterStill, startersQuery } from './starters.ts';

/** A click creates the project at once. The card shows that it is being created. */
export const StarterCards = ({ team_id }: { readonly team_id: string }) => {
  const { data, error, refetch } = useQuery(startersQuery(team_id));
  const [, navigate] = useLocation();
  const client = useQueryClient();
  // A second click after a lost answer must not create a second project.
  const keys = useRef(new Map<string, string>());
  const keyOf = (id: string): string => {
    const key = keys.current.get(id) ?? `starter-${id}-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    keys.current.set(id, key);
    return key;
  };
  const creation = useMutation({
    mutationFn: (id: string) =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/projects', {
          params: { path: { team_id }, header: { 'Idempotency-Key': keyOf(id) } },
          body: { starter: id },
        }),
      ),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['projects'] });
      navigate(`/teams/${team_id}/projects/${id}`);
    },
  });
  return (
    <Stack>
      <ErrorMessage error={creation.error} />
      <LoadedData data={data} error={error} retry={refetch}>
        {({ data: starters }) => (
          <SimpleGrid component="ul" cols={{ base: 2, sm: 3, lg: 4 }} m={0} p={0} style={{ listStyle: 'none' }}>
            {starters.map(({ id, name, description, width, height, duration }) => {
              const is_pending = creation.isPending && creation.variables === id;
              return (
                <Paper key={id} component="li" withBorder className="card starter">
                  <UnstyledButton
                    className="starter-button"
                    disabled={creation.isPending}
                    aria-busy={is_pending}
                    onClick={() => creation.mutate(id)}
                  >
                    <span className="starter-still">
                      <img src={starterStill(id) ?? undefined} alt="" loading="lazy" />
                      {is_pending ? (
                        <span className="starter-pending">
                          <Loader role="img" size="sm" color="white" aria-label={`Creating ${name}`} />
                        </span>
                      ) : null}
                    </span>
                    <Stack gap={2} p="sm" component="span">
                      <Text span fw={600}>
                        {name}
                      </Text>
                      <Text span size="sm" c="dimmed">
                        {description}
                      </Text>
                      <Text span size="xs" c="dimmed" className="figure">
                        {width} × {height} · {duration} s
                      </Text>
                    </Stack>
                  </UnstyledButton>
                </Paper>
              );
            })}
          </SimpleGrid>
        )}
      </LoadedData>
    </Stack>
  );
};
