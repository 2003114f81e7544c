import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, taken } from '../api/client.ts';
import { ME } from '../api/query-client.ts';
import { holdForNobody } from '../session/person.ts';

export const SignOut = () => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => taken(api.POST('/manage/v1/sign-out', { body: {} })),
    onSuccess: () => {
      holdForNobody();
      client.setQueryData(ME, null);
    },
  });
  return (
    <Button variant="default" size="xs" loading={isPending} onClick={() => mutate()}>
      Sign out
    </Button>
  );
};
