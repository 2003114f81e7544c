import { Alert, Box, Button, Checkbox, Group, List, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiRefusal, api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { useHasRight, useMe } from '../session/me.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { Folded } from '../shown/folded.tsx';
import { messageText } from '../shown/message-text.ts';
import { CopyableText } from '../shown/secret.tsx';
import { FieldInput } from './field-input.tsx';
import {
  drawableValues,
  type Field,
  isMedia,
  labelOf,
  ownValues,
  shownFaults,
  type Values,
  withValue,
} from './field-values.ts';
import { MediaInput } from './media-input.tsx';
import { type Film, Preview } from './preview.tsx';
import { Price } from './price.tsx';
import { curlLine, type RenderWish, renderBody } from './request-line.ts';
import type { Entries } from './saved-entries.ts';
import { useCheck, type Wanted } from './use-check.ts';
import { useEntries } from './use-entries.ts';

type Template = Schemas['TeamTemplate'];

export type VideoFormProps = {
  readonly team_id: string;
  readonly project: Schemas['Project'];
  /** Null if the project has no templates. */
  readonly template: Template | null;
  /** The render that the person repeats. */
  readonly from: string | null;
  readonly first: Entries;
  readonly startOver: () => void;
};

/** A change waits for this time for the next one. The picture must follow within half a second. */
const PAUSE_MS = 150;

/**
 * Each distinct request of a form has its own Idempotency-Key, so sending an unchanged request twice creates one
 * render.
 */
const useOnce = () => {
  const [keys] = useState(() => new Map<string, string>());
  return (wish: RenderWish): string => {
    const text = JSON.stringify(wish);
    const once = keys.get(text) ?? crypto.randomUUID();
    keys.set(text, once);
    return once;
  };
};

const NO_ASSETS: readonly Schemas['ProjectAsset'][] = [];

/** Files of a project. */
export const useAssets = (team_id: string, project_id: string, needed: boolean) => {
  const { data } = useQuery({
    queryKey: ['assets', project_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/assets', {
          params: { path: { team_id, project_id } },
        }),
      ),
    enabled: needed,
  });
  return data?.data ?? NO_ASSETS;
};

type Change = ReturnType<typeof useEntries>['change'];

const Fields = (props: {
  readonly team_id: string;
  readonly project_id: string;
  readonly fields: readonly Field[];
  readonly entries: Entries;
  readonly faults: ReadonlyMap<string, string>;
  readonly change: Change;
  readonly setBusy: (key: string, busy: boolean) => void;
}) => {
  const { team_id, project_id, fields, entries, faults, change, setBusy } = props;
  const needs_assets = fields.some(({ kind }) => isMedia(kind));
  const assets = useAssets(team_id, project_id, needs_assets);
  return fields.map((field) => {
    const { key, kind } = field;
    const own = {
      value: Object.hasOwn(entries.values, key) ? entries.values[key] : undefined,
      fault: faults.get(key),
      setValue: (value: string | null) => change(({ values }) => ({ values: withValue(values, key, value) })),
    };
    if (!isMedia(kind) || field.options !== null) return <FieldInput key={key} field={field} {...own} />;
    return (
      <MediaInput
        key={key}
        {...{ team_id, kind, assets, ...own }}
        label={labelOf(field)}
        description={field.description}
        default_value={field.default_value}
        setBusy={(busy) => setBusy(key, busy)}
      />
    );
  });
};

const useBusy = () => {
  const [busy, set] = useState<readonly string[]>([]);
  const setBusy = useCallback(
    (key: string, is_busy: boolean) =>
      set((before) => {
        if (before.includes(key) === is_busy) return before;
        return is_busy ? [...before, key] : before.filter((one) => one !== key);
      }),
    [],
  );
  return { is_busy: busy.length > 0, setBusy };
};

const useRender = (team_id: string, wish: RenderWish, forget: () => void) => {
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const once = useOnce()(wish);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/renders', {
          params: { path: { team_id }, header: { 'Idempotency-Key': once } },
          body: renderBody(wish),
        }),
      ),
    onSuccess: ({ id }) => {
      forget();
      navigate(`/teams/${team_id}/renders/${id}`);
      void client.invalidateQueries();
    },
  });
  return { once, render: () => mutate(), error, is_pending: isPending };
};

/** The former length stays while a value has a fault, so that the picture's time can still be chosen. */
const useFilm = (check: Schemas['ProjectCheck'] | undefined): Film | null => {
  const [film, setFilm] = useState<Film | null>(null);
  const { frames = null, duration_s = null } = check ?? {};
  useEffect(() => {
    if (frames !== null && duration_s !== null) setFilm({ frames, duration_s });
  }, [frames, duration_s]);
  return film;
};

const wishOf = ({ project, template }: VideoFormProps, { name, draft }: Entries, values: Values): RenderWish => ({
  ...{ project_id: project.id, template_id: template?.id ?? null, values, name, draft },
});

/** A refusal of the request that names a field, for example because its upload has expired. */
const refusedFields = (error: Error | null): ReadonlyMap<string, string> => {
  if (!(error instanceof ApiRefusal) || error.param === null) return new Map();
  const message = error.message.replace(`${error.param}: `, '');
  const key = error.param.replace(/^values\./, '');
  return error.param === key ? new Map() : new Map([[key, messageText(message)]]);
};

const Order = (props: {
  readonly team_id: string;
  readonly price: number | null;
  readonly draft: boolean;
  readonly setDraft: (draft: boolean) => void;
  readonly others: readonly string[];
  readonly error: Error | null;
  readonly hint: string;
  readonly is_ready: boolean;
  readonly is_pending: boolean;
  /** Null if nothing was entered. */
  readonly startOver: (() => void) | null;
}) => {
  const { team_id, price, draft, setDraft, others, error, hint, is_ready, is_pending, startOver } = props;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        {others.length === 0 ? null : (
          <Alert color="red" title="This cannot be rendered yet">
            <List size="sm">
              {others.map((text) => (
                <List.Item key={text}>{text}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Price team_id={team_id} price={price} />
        <Checkbox
          label="Draft: smaller, faster and cheaper"
          checked={draft}
          onChange={({ currentTarget }) => setDraft(currentTarget.checked)}
        />
        <ErrorMessage error={error} />
        <Text size="sm" c="dimmed" role="status">
          {hint}
        </Text>
        <Group justify="flex-end">
          {startOver === null ? null : (
            <Button variant="default" onClick={startOver}>
              Start over
            </Button>
          )}
          <Button type="submit" loading={is_pending} disabled={!is_ready}>
            Render
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
};

export const VideoForm = (props: VideoFormProps) => {
  const { team_id, project, template, from, first, startOver } = props;
  const fields = template?.fields ?? [];
  const form = JSON.stringify([project.id, template?.id, from]);
  const { entries, change, forget } = useEntries(useMe().person, form, first);
  const values = useMemo(() => ownValues(fields, entries.values), [fields, entries.values]);
  const [time_s, setTime] = useState<number | null>(null);
  const [drawn] = useDebouncedValue({ values, time_s }, PAUSE_MS);
  const { is_busy, setBusy } = useBusy();
  const may_request = useHasRight(team_id, 'request_renders');
  const wish = wishOf(props, entries, values);
  const wanted: Wanted = { ...wish, team_id, version: project.version, values: drawn.values };
  const check = useCheck(wanted, entries.draft);
  const drawable = drawableValues(fields, drawn.values);
  const is_partial = Object.keys(drawable).length < Object.keys(drawn.values).length;
  const { once, render, error, is_pending } = useRender(team_id, wish, forget);
  const { of_fields, others } = shownFaults(fields, check.data?.faults ?? []);
  const refused = refusedFields(error);
  const reset = () => {
    forget();
    startOver();
  };
  const film = useFilm(check.data);
  const has_faults = of_fields.size + others.length > 0;
  return (
    <form
      className="new-video"
      onSubmit={(event) => {
        event.preventDefault();
        render();
      }}
    >
      <Stack className="new-video-fields">
        <TextInput
          label="Name of the video"
          required
          maxLength={250}
          value={entries.name}
          onChange={({ currentTarget: { value: name } }) => change(() => ({ name }))}
        />
        <Fields
          {...{ team_id, fields, entries, change, setBusy }}
          project_id={project.id}
          faults={new Map([...refused, ...of_fields])}
        />
      </Stack>
      <div className="new-video-side">
        <Box className="new-video-picture">
          <Preview
            {...{ film, time_s, setTime, is_partial }}
            wanted={{ ...wanted, values: drawable }}
            drawn_time_s={drawn.time_s}
          />
        </Box>
        <Order
          {...{ team_id, draft: entries.draft, others, is_pending }}
          price={check.isPlaceholderData ? null : (check.data?.price_credits ?? null)}
          setDraft={(draft) => change(() => ({ draft }))}
          error={refused.size > 0 ? null : (error ?? check.error)}
          hint={is_busy ? 'Waiting for the upload.' : has_faults ? 'Correct the marked fields first.' : ''}
          is_ready={may_request && !is_busy && !has_faults && entries.name.trim() !== ''}
          startOver={JSON.stringify(entries) === JSON.stringify(first) ? null : reset}
        />
        <Folded title="As a request of the API">
          <CopyableText label="Equivalent curl command" text={curlLine(window.location.origin, wish, once)} />
        </Folded>
      </div>
    </form>
  );
};
