import { SimpleGrid } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { FilmCard } from './film-card.tsx';

export const FilmCards = (props: {
  readonly team_id: string;
  readonly renders: readonly Schemas['ListedRender'][];
}) => (
  <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3 }} m={0} p={0} style={{ listStyle: 'none' }}>
    {props.renders.map((render) => (
      <FilmCard key={render.id} team_id={props.team_id} render={render} />
    ))}
  </SimpleGrid>
);
