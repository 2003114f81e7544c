import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { newVideoPath } from '../new-video/new-video-button.tsx';
import { useHasRight } from '../session/me.ts';

type Of = { readonly team_id: string; readonly project_id: string; readonly render_id: string };

/** Opens the form with the entries of a render. */
export const RenderAgain = ({ team_id, project_id, render_id }: Of) =>
  useHasRight(team_id, 'request_renders') ? (
    <Button component={Link} href={newVideoPath(team_id, project_id, { from: render_id })} variant="default">
      Render again
    </Button>
  ) : null;
