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

const endText = ({ id, status, failure }: DetailedRender): readonly string[] => {
  if (status !== 'failed') return [];
  return [failure === undefined ? `\n${everyStep(id)}` : `\n${failureText(failure)}\n${everyStep(id)}`];
};

export const renderText = (render: DetailedRender): string => {
  const { id, name, project, created_at } = render;
  const outputs = Object.entries(render.output ?? {}).map(([variant, url]) => `\n${variant}\n${url}`);
  const row = [id, name, statusText(render), project.id, timeText(created_at)];
  return [tableText(['id', 'name', 'status', 'project', 'created'], [row]), ...endText(render), ...outputs].join('\n');
};

const reasonCell = ({ id, status, failure }: DetailedRender): string | null => {
  if (failure !== undefined) return reasonText(failure);
  return status === 'failed' ? everyStep(id) : null;
};

/** If any render has failed, the last column has the reasons. */
export const rendersText = (renders: readonly DetailedRender[]): string => {
  const reasons = renders.some(({ status }) => status === 'failed');
  const rows = renders.map((render) => {
    const { id, name, created_at } = render;
    return [id, name, statusText(render), timeText(created_at), ...(reasons ? [reasonCell(render)] : [])];
  });
  return tableText(['id', 'name', 'status', 'created', ...(reasons ? ['failure'] : [])], rows);
};
