import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { CatalogueEvent } from '../domain/catalogue/events.ts';
import { subjectOf } from '../domain/catalogue/subject.ts';
import { openProjectRenders } from '../read-models/renders/project-renders.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import type { BenchmarkResult } from './figures.ts';
import { completionEvents } from './filled-projects.ts';
import { renderRequested } from './render-requested.ts';

const RENDERS = Number(process.env.RENDERS ?? 3_000);
const SMALL = 3;
const APPENDED_AT_ONCE = 300;
const BOUND_MS = 600_000;

const META = { occurred_at: 0, actor: 'operator:bench', causation_id: null, correlation_id: null };
const head = () => ({ rules: 1, meta: { ...META, event_id: ulid() } });

const madeProject = (account: string): readonly CatalogueEvent[] => [
  { type: 'AccountCreated', ...head(), account_id: `acc_${account}`, name: account, unlimited_credits: true },
  { type: 'TeamCreated', ...head(), team_id: `team_${account}`, account_id: `acc_${account}`, name: account },
  {
    ...{ type: 'ProjectCreated', ...head(), project_id: `proj_${account}`, team_id: `team_${account}` },
    ...{ name: account, created_by: null, payload: null },
  },
];

const until = async (what: string, ask: () => Promise<boolean>): Promise<void> => {
  for (const ends = performance.now() + BOUND_MS; !(await ask()); await pause(50))
    if (performance.now() > ends) throw new Error(`not in time: ${what}`);
};

export const benchErasures = async ({ records, store }: StackClients): Promise<readonly BenchmarkResult[]> => {
  const rendersOf = openProjectRenders(store.db);
  const tell = async (events: readonly CatalogueEvent[]): Promise<void> => {
    for (const event of events) {
      const appended = await records.append('catalogue-events', subjectOf(event), event, { partition: 0 });
      if (E.isLeft(appended)) throw new Error(appended.left.message);
    }
  };
  const fill = async (account: string, count: number): Promise<void> => {
    await tell(madeProject(account));
    const of = { account_id: `acc_${account}`, team_id: `team_${account}`, project_id: `proj_${account}` };
    const lives = Array.from({ length: count }, () => `rend_${ulid()}`).flatMap((render_id) => [
      renderRequested({ render_id, ...of }),
      ...completionEvents(render_id),
    ]);
    for (let begin = 0; begin < lives.length; begin += APPENDED_AT_ONCE) {
      const part = lives.slice(begin, begin + APPENDED_AT_ONCE);
      const appended = await Promise.all(part.map((event) => records.append('render-events', event.render_id, event)));
      if (!appended.every(E.isRight)) throw new Error('Kafka took no event');
    }
  };
  const left = async (account: string): Promise<number> => {
    const found = await rendersOf(`proj_${account}`, null, RENDERS);
    return found.filter(({ has_ended }) => has_ended).length;
  };
  const erase = (account: string) => tell([{ type: 'ProjectErased', ...head(), project_id: `proj_${account}` }]);

  await fill('huge', RENDERS);
  await fill('small', SMALL);
  await until('all are folded', async () => (await left('huge')) === RENDERS && (await left('small')) === SMALL);
  await erase('huge');
  await until('some are erased', async () => (await left('huge')) < RENDERS);
  const began = performance.now();
  const first = await left('huge');
  await erase('small');
  await until('the small one is erased', async () => (await left('small')) === 0);
  const small_ms = performance.now() - began;
  await until('the huge one is erased', async () => (await left('huge')) === 0);
  const huge_s = (performance.now() - began) / 1_000;
  return [
    [`erasure of a project of ${RENDERS} renders`, `${Math.round(first / huge_s)} renders/s`, ''],
    [`erasure of ${SMALL} renders of another account meanwhile`, `${(small_ms / 1_000).toFixed(1)} s`, 'at most 10 s'],
  ];
};
