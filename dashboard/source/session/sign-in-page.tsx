import { Button, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { signInAddress } from './sign-in-address.ts';

export const SignInPage = () => (
  <Center component="main" mih="100vh" p="md">
    <Paper withBorder p="xl" radius="md" maw={420} w="100%">
      <Stack>
        <Title order={1} size="h2">
          Video rendering
        </Title>
        <Text>See what is rendered, and manage keys, webhooks and people of your teams.</Text>
        <Button component="a" href={signInAddress()} size="md">
          Sign in
        </Button>
        <Text size="sm" c="dimmed">
          At your own provider: this service keeps no passwords.
        </Text>
      </Stack>
    </Paper>
  </Center>
);
