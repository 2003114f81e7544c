import { tableText, timeText } from '../table.ts';
import type { DetailedRender } from './detailed-render.ts';
import type { FailureAnswer } from './render-answers.ts';

/** Only a complete render shows 100 %. */
export const percentText = (share: number): string => `${share < 1 ? Math.min(99, Math.round(share * 100)) : 100} %`;

const statusText = ({ status, progress }: DetailedRender): string =>
  progress === undefined ? status : `${status} ${percentText(progress)}`;

const reasonText = ({ message, code }: Pick<FailureAnswer, 'message' | 'code'>): string => `${message} (${code})`;

/** `failed in rendering: layers[2].font_family: there is no such font (font_unknown)` */
export const failureText = (failure: Pick<FailureAnswer, 'stage' | 'message' | 'code'>): string =>
  `failed in ${failure.stage}: ${reasonText(failure)}`;

const everyStep = (id: string): string => `see every step with "renderctl trace ${id}"`;

const endText = ({ id, status, failure }: DetailedRender, can_trace: boolean): readonly string[] => {
  if (status !== 'failed') return [];
  const lines = [...(failure === undefined ? [] : [failureText(failure)]), ...(can_trace ? [everyStep(id)] : [])];
  return lines.length === 0 ? [] : [`\n${lines.join('\n')}`];
};

/** @param can_trace whether the person reaches the servers */
export const renderText = (render: DetailedRender, can_trace: boolean): string => {
  const { id, name, project, created_at } = render;
  const outputs = Object.entries(render.output ?? {}).map(([variant, url]) => `\n${variant}\n${url}`);
  const row = [id, name, statusText(render), project.id, timeText(created_at)];
  return [
    tableText(['id', 'name', 'status', 'project', 'created'], [row]),
    ...endText(render, can_trace),
    ...outputs,
  ].join('\n');
};

const reasonCell = ({ failure }: DetailedRender): string | null => (failure === undefined ? null : reasonText(failure));

/**
 * If any render has failed, the last column has the reasons.
 *
 * @param names_projects whether the list has renders of several projects
 */
export const rendersText = (renders: readonly DetailedRender[], names_projects = false): string => {
  const reasons = renders.some(({ status }) => status === 'failed');
  const rows = renders.map((render) => {
    const { id, name, project, created_at } = render;
    const of_project = names_projects ? [project.id] : [];
    return [
      id,
      name,
      statusText(render),
      ...of_project,
      timeText(created_at),
      ...(reasons ? [reasonCell(render)] : []),
    ];
  });
  const project_heading = names_projects ? ['project'] : [];
  return tableText(['id', 'name', 'status', ...project_heading, 'created', ...(reasons ? ['failure'] : [])], rows);
};
