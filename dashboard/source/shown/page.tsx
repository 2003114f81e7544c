import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';

/** A page above this one. */
export type Crumb = { readonly label: string; readonly to: string };

export const Page = (props: {
  readonly title: string;
  readonly about?: ReactNode;
  /** From the first page to the one above this page. */
  readonly trail?: readonly Crumb[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => {
  const { title, about, trail = [], actions, children } = props;
  useEffect(() => {
    document.title = `${title} · Video rendering`;
  }, [title]);
  return (
    <Stack gap="lg">
      {trail.length === 0 ? null : (
        <Breadcrumbs component="nav" aria-label="Breadcrumbs" separatorMargin={6} fz="sm" mb={-8} className="crumbs">
          {trail.map(({ label, to }) => (
            <Anchor key={to} component={Link} href={to} size="sm">
              {label}
            </Anchor>
          ))}
          <Text span size="sm" c="dimmed" truncate maw={360}>
            {title}
          </Text>
        </Breadcrumbs>
      )}
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} miw={0} flex="1 1 240px">
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {about === undefined ? null : (
            <Text c="dimmed" size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
              {about}
            </Text>
          )}
        </Stack>
        {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
};
