import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';

/** `stage` is `preparation`, `dispatch`, `rendering` or `storing`. */
const FailureAnswer = t.intersection([
  t.type({ stage: t.string, code: t.string, message: t.string }),
  t.partial({ field: nullable(t.string) }),
]);
export type FailureAnswer = t.TypeOf<typeof FailureAnswer>;

/** Services up to 0.9 send neither `progress` nor `failure`. */
export const RenderAnswer = t.intersection([
  t.type({
    id: t.string,
    name: t.string,
    status: t.string,
    type: t.string,
    project: t.type({ id: t.string, team: t.string }),
    created_by: nullable(t.string),
    created_at: t.number,
    updated_at: nullable(t.number),
  }),
  t.partial({ output: t.record(t.string, t.string), progress: t.number, failure: FailureAnswer }),
]);
export type RenderAnswer = t.TypeOf<typeof RenderAnswer>;

export const RendersAnswer = t.type({
  data: t.array(RenderAnswer),
  has_more: t.boolean,
  next_cursor: nullable(t.string),
});
export type RendersAnswer = t.TypeOf<typeof RendersAnswer>;

/** `progress` of the running attempt is 0 to 1. */
export const TransitionAnswer = t.intersection([
  t.type({ seq: t.number, status: t.string, at: t.number }),
  t.partial({ attempt: nullable(t.number), progress: t.number, failure: nullable(FailureAnswer) }),
]);

export type TransitionAnswer = t.TypeOf<typeof TransitionAnswer>;

/** `GET /v1/renders/{id}/transitions` */
export const TransitionsAnswer = t.type({ data: t.array(TransitionAnswer) });
export type TransitionsAnswer = t.TypeOf<typeof TransitionsAnswer>;

/** The part of `GET /v1/templates/{id}` that renderctl needs to check values. */
export const TemplateAnswer = t.type({
  id: t.string,
  name: t.string,
  fields: t.readonlyArray(t.type({ key: t.string, kind: t.string, default_value: t.string })),
});
export type TemplateAnswer = t.TypeOf<typeof TemplateAnswer>;

export const TemplatesAnswer = t.type({ data: t.array(t.type({ id: t.string, name: t.string })) });
export type TemplatesAnswer = t.TypeOf<typeof TemplatesAnswer>;
