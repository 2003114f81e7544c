import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { ME_QUERY_KEY } from '../api/me-query-key.ts';
import { clearTabData } from '../session/person.ts';
import { removeSheetsOfOthers } from '../sheet/sheet-store.ts';

export const SignOut = () => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => unwrapAnswer(api.POST('/manage/v1/sign-out', { body: {} })),
    onSuccess: () => {
      clearTabData();
      // Others may use this browser next.
      removeSheetsOfOthers(null);
      client.setQueryData(ME_QUERY_KEY, null);
    },
  });
  return (
    <Button variant="default" size="xs" loading={isPending} onClick={() => mutate()}>
      Sign out
    </Button>
  );
};
