import { Button } from '@mantine/core';
import { IconTable } from '@tabler/icons-react';
import { Link } from 'wouter';
import { useHasRight } from '../session/me.ts';

/** Opens the page that makes a video of each row of a table. @param of names the template, where a page has several buttons */
export const SheetButton = (props: {
  readonly team_id: string;
  readonly project_id: string;
  readonly template_id?: string;
  readonly of?: string;
  readonly size?: 'xs' | 'sm';
}) => {
  const { team_id, project_id, template_id, of, size = 'sm' } = props;
  const may_request = useHasRight(team_id, 'request_renders');
  if (!may_request) return null;
  const query = template_id === undefined ? '' : `?${new URLSearchParams({ template: template_id })}`;
  return (
    <Button
      component={Link}
      href={`/teams/${team_id}/projects/${project_id}/sheet${query}`}
      size={size}
      variant="default"
      w="fit-content"
      leftSection={<IconTable size={16} aria-hidden />}
      {...(of !== undefined && { 'aria-label': `Sheet of ${of}` })}
    >
      Sheet
    </Button>
  );
};
