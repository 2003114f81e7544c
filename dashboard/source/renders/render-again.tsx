import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { projectQuery } from '../projects/project-query.ts';
import { useHasRight } from '../session/me.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { CopyableText } from '../shown/secret.tsx';
import { costText, type RenderCost } from './cost.ts';

type Asked = Omit<Schemas['RequestedRender'], 'values'> & { readonly values: Readonly<Record<string, string>> };

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const bodyOf = ({ name, project_id, template_id, values, draft }: Asked) => ({
  ...{ name: name.trim(), project_id },
  ...(template_id !== null && { template_id, values }),
  ...(draft && { draft }),
});

const line = (wanted: Asked, once: string): string => {
  const body = bodyOf(wanted);
  return `curl -X POST ${window.location.origin}/v1/renders \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: ${once}" \\
  -d ${quoted(JSON.stringify(body, null, 2))}`;
};

/**
 * Each distinct request of a form has its own Idempotency-Key, so sending an unchanged request twice creates one
 * render.
 */
const useOnce = () => {
  const [keys] = useState(() => new Map<string, string>());
  return (wanted: Asked): string => {
    const text = JSON.stringify(wanted);
    const once = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, once);
    return once;
  };
};

type Of = { readonly team_id: string; readonly render_id: string; readonly cost: RenderCost };

/** @param cost the cost of the earlier render, and the version that it used */
const Form = ({ team_id, asked, cost }: Pick<Of, 'team_id' | 'cost'> & { readonly asked: Asked }) => {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const [name, setName] = useState(asked.name);
  const [values, setValues] = useState(asked.values);
  const may_request = useHasRight(team_id, 'request_renders');
  const [draft, setDraft] = useState(asked.draft);
  const { data: project } = useQuery(projectQuery(team_id, asked.project_id));
  const price = project?.version === cost.project_version ? cost.credits : null;
  const wanted = { ...asked, name, values, draft };
  const once = useOnce()(wanted);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/renders', {
          params: { path: { team_id }, header: { 'Idempotency-Key': once } },
          body: bodyOf(wanted),
        }),
      ),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries();
      navigate(`/teams/${team_id}/renders/${id}`);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Stack>
        <Text size="sm">
          Uses the project's current version. {costText({ price, asked_draft: asked.draft, draft })}
        </Text>
        <TextInput
          label="Name"
          required
          maxLength={250}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {Object.entries(values).map(([key, value]) => (
          <TextInput
            key={key}
            label={key}
            value={value}
            onChange={({ currentTarget }) => setValues({ ...values, [key]: currentTarget.value })}
          />
        ))}
        <Checkbox
          label="Draft: smaller, faster and cheaper"
          checked={draft}
          onChange={({ currentTarget }) => setDraft(currentTarget.checked)}
        />
        <ErrorMessage error={error} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending} disabled={!may_request || name.trim() === ''}>
            Render
          </Button>
        </Group>
        <CopyableText label="Equivalent curl command" text={line(wanted, once)} />
      </Stack>
    </form>
  );
};

const Request = ({ team_id, render_id, cost }: Of) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['request', render_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/request', { params: { path: { team_id, render_id } } }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  if (data.values === null) return <Text size="sm">The values of this render were deleted.</Text>;
  return <Form team_id={team_id} cost={cost} asked={{ ...data, values: data.values }} />;
};

/** Shows a render's request, and can send it again. */
export const RenderAgain = (props: Of) => {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Render again
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Render again" size="lg">
        <Request {...props} />
      </Modal>
    </>
  );
};
