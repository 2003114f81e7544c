import { Button, Center, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { hasKeptTexts } from './kept-texts.ts';
import { signInAddress } from './sign-in-address.ts';

export const SignInPage = () => (
  <Center component="main" mih="100vh" p="md">
    <Paper withBorder p="xl" maw={420} w="100%">
      <Stack>
        <Group gap="sm">
          <ThemeIcon size={30} aria-hidden>
            <IconPlayerPlayFilled size={16} />
          </ThemeIcon>
          <Title order={1} size="h2">
            Video rendering
          </Title>
        </Group>
        <Text>
          {hasKeptTexts()
            ? 'You are signed out. Sign in to continue: this tab keeps what you entered.'
            : 'Make videos from templates, and manage the keys, webhooks and people of your teams.'}
        </Text>
        <Button component="a" href={signInAddress()} size="md">
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          You sign in with your identity provider. This service stores no passwords.
        </Text>
      </Stack>
    </Paper>
  </Center>
);
