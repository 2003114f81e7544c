import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';

/** A page above this one. */
export type Crumb = { readonly label: string; readonly to: string };

/** A step of the first page of the API's documentation. */
type HelpStep = 'create' | 'key' | 'project' | 'webhook';

const Help = ({ step }: { readonly step: HelpStep }) => (
  <Anchor href={`/v1/docs#${step}`} target="_blank" rel="noreferrer" size="sm" inherit={false}>
    <Group component="span" gap={4} display="inline-flex">
      <IconHelpCircle size={16} aria-hidden />
      API guide
    </Group>
  </Anchor>
);

export const Page = (props: {
  readonly title: string;
  readonly about?: ReactNode;
  /** From the first page to the one above this page. */
  readonly trail?: readonly Crumb[];
  readonly actions?: ReactNode;
  readonly help?: HelpStep;
  readonly children: ReactNode;
}) => {
  const { title, about, trail = [], actions, help, children } = props;
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
        {actions === undefined && help === undefined ? null : (
          <Group gap="sm">
            {help === undefined ? null : <Help step={help} />}
            {actions}
          </Group>
        )}
      </Group>
      {children}
    </Stack>
  );
};
