import { Anchor, Paper, Stack, Text } from '@mantine/core';
import { useDebouncedValue, useReducedMotion } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { ThumbnailImage } from '../shown/still.tsx';
import { Time } from '../shown/time.tsx';
import { filesQuery } from './files-query.ts';
import { RenderState } from './render-state.tsx';

/** A pointer that only crosses a card starts no video. */
const PLAY_AFTER_MS = 150;
/** Signed URLs live longer. */
const FRESH_MS = 300_000;

type Of = { readonly team_id: string; readonly render: Schemas['ListedRender'] };

/** The smallest variant, without sound. */
const Preview = ({ team_id, render }: Of) => {
  const { data } = useQuery({ ...filesQuery(team_id, render.id), staleTime: FRESH_MS });
  const [smallest] = (data?.files ?? []).toSorted((a, b) => a.width - b.width);
  return smallest === undefined ? null : <video src={smallest.url} autoPlay muted loop playsInline aria-hidden />;
};

/** The poster of a render. A complete one plays while the pointer or the focus is on the card. */
export const FilmCard = ({ team_id, render }: Of) => {
  const [is_over, setOver] = useState(false);
  const [stays] = useDebouncedValue(is_over, PLAY_AFTER_MS);
  const is_still = useReducedMotion();
  const { id, name, status, poster_url, project_name, created_at } = render;
  const plays = is_over && stays && !is_still && status === 'complete';
  return (
    <Paper
      component="li"
      withBorder
      className="card"
      onMouseEnter={() => setOver(true)}
      onMouseLeave={() => setOver(false)}
      onFocus={() => setOver(true)}
      onBlur={() => setOver(false)}
    >
      <div className="film">
        <ThumbnailImage url={poster_url} large />
        {plays ? <Preview team_id={team_id} render={render} /> : null}
        {status === 'complete' ? null : (
          <div className="film-state">
            <RenderState render={render} />
          </div>
        )}
      </div>
      <Stack gap={2} p="sm">
        <Anchor
          component={Link}
          href={`/teams/${team_id}/renders/${id}`}
          fw={550}
          className="card-link"
          style={{ overflowWrap: 'anywhere' }}
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {project_name === null ? '' : `${project_name} · `}
          <Time at={created_at} />
        </Text>
      </Stack>
    </Paper>
  );
};
