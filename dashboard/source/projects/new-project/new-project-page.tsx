import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../../shown/page.tsx';
import { ImportProject } from '../import/import-project.tsx';
import { CopyProject } from './copy-project.tsx';
import { StarterCards } from './starter-cards.tsx';

const Section = (props: { readonly title: string; readonly about: string; readonly children: ReactNode }) => (
  <Stack component="section" gap="sm">
    <div>
      <Title order={2} size="h3">
        {props.title}
      </Title>
      <Text size="sm" c="dimmed">
        {props.about}
      </Text>
    </div>
    {props.children}
  </Stack>
);

export const NewProjectPage = ({ team_id }: { readonly team_id: string }) => (
  <Page title="New project" trail={[{ label: 'Projects', to: `/teams/${team_id}/projects` }]}>
    <Section title="Starters" about="Finished projects. Choose one, then change its texts, pictures and colours.">
      <StarterCards team_id={team_id} />
    </Section>
    <Section
      title="Your own files"
      about="A folder or a ZIP file with a project.json and the pictures, videos, sounds and fonts that it names."
    >
      <ImportProject team_id={team_id} />
    </Section>
    <Section title="Copy a project" about="The copy gets the newest version and its files.">
      <CopyProject team_id={team_id} />
    </Section>
  </Page>
);
