import { Alert, Stack, Text } from '@mantine/core';
import { Copied } from '../shown/secret.tsx';

const line = (secret: string): string =>
  `curl ${window.location.origin}/v1/projects \\
  -H "Authorization: Bearer ${secret}"`;

/** The secret, this once. @param secret null where the request was a repeat */
export const MadeKey = ({ secret }: { readonly secret: string | null }) =>
  secret === null ? (
    <Alert color="orange" title="It had been made before">
      Its secret was shown then, and nobody can show it again. Revoke it where it was lost, and make another one.
    </Alert>
  ) : (
    <Stack>
      <Alert color="orange" title="Copy it now">
        It is shown this once and stored nowhere. Keep it where your programs find it and nobody else does.
      </Alert>
      <Copied label="The key" text={secret} />
      <Copied label="Try it" text={line(secret)} />
      <Text size="sm" c="dimmed">
        It opens everything of its teams in the API, at once.
      </Text>
    </Stack>
  );
