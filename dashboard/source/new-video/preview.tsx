import { Box, Loader, Paper, Slider, Stack, Text } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { ApiRefusal } from '../api/client.ts';
import type { Wanted } from './use-check.ts';
import { useStill } from './use-still.ts';

/** Without a choice, the picture is that of the poster, which is usually at this part of the length. */
const POSTER_AT = 1 / 4;

export const secondsText = (seconds: number): string => `${seconds.toFixed(1)} s`;

const faultText = (error: Error): string =>
  error instanceof ApiRefusal
    ? error.status === 400
      ? 'Correct the marked fields to see the picture.'
      : 'The picture could not be drawn. It is drawn again after your next change.'
    : navigator.onLine
      ? 'The service is not responding. The picture may be out of date.'
      : 'You are offline. The picture may be out of date.';

export type Film = { readonly duration_s: number; readonly frames: number };

/** @param film null until its length is known */
export const Preview = (props: {
  readonly wanted: Wanted;
  readonly film: Film | null;
  readonly time_s: number | null;
  /** The time that the picture shows: it follows `time_s` when the person stops. */
  readonly drawn_time_s: number | null;
  readonly setTime: (time_s: number) => void;
  /** Whether the picture lacks files that only the render fetches. */
  readonly is_partial: boolean;
}) => {
  const { wanted, film, time_s, drawn_time_s, setTime, is_partial } = props;
  const { url, error, is_drawing } = useStill(wanted, drawn_time_s);
  const last_s = film === null ? 0 : film.duration_s * (1 - 1 / Math.max(film.frames, 1));
  const shown_s = Math.min(time_s ?? last_s * POSTER_AT, last_s);
  return (
    <Paper withBorder className="card">
      <Box className="preview" aria-busy={is_drawing}>
        {url === null ? <IconPhoto size={32} aria-hidden /> : <img src={url} alt="The video at the chosen time" />}
        {is_drawing ? (
          <Loader role="img" size="xs" className="preview-drawing" aria-label="Drawing the picture" />
        ) : null}
      </Box>
      <Stack gap={4} p="sm">
        <Slider
          label={null}
          thumbLabel="Time in the video"
          size="sm"
          min={0}
          max={Math.max(last_s, 0.001)}
          step={film === null ? 0.1 : film.duration_s / Math.max(film.frames, 1)}
          value={shown_s}
          disabled={film === null}
          onChange={setTime}
        />
        <Text size="xs" c="dimmed" className="figure">
          {film === null ? '…' : `${secondsText(shown_s)} of ${secondsText(film.duration_s)}`}
        </Text>
        <Text size="sm" role="status" mih={0}>
          {error === null || is_drawing
            ? is_partial
              ? 'The picture shows the default in the place of an address. The video shows its file.'
              : ''
            : faultText(error)}
        </Text>
      </Stack>
    </Paper>
  );
};
