import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';

export const ProjectAnswer = t.type({
  id: t.string,
  name: t.string,
  team: t.type({ id: t.string, name: t.string }),
  created_by: nullable(t.string),
  created_at: t.number,
  updated_at: nullable(t.number),
});
export type ProjectAnswer = t.TypeOf<typeof ProjectAnswer>;

export const VersionAnswer = t.type({
  project_id: t.string,
  version: t.number,
  added_by: nullable(t.string),
  created_at: t.number,
});
export type VersionAnswer = t.TypeOf<typeof VersionAnswer>;

/** The members of a document that renderctl shows. */
export const DocumentSummary = t.type({
  name: t.string,
  main_composition_id: t.string,
  compositions: t.readonlyArray(
    t.type({
      ...{ id: t.string, width: t.number, height: t.number },
      duration: t.union([t.number, t.literal('auto')]),
      layers: t.readonlyArray(t.unknown),
    }),
  ),
  templates: t.readonlyArray(
    t.type({
      id: t.string,
      fields: t.readonlyArray(t.type({ key: t.string, kind: t.string, default_value: t.string })),
    }),
  ),
});
export type DocumentSummary = t.TypeOf<typeof DocumentSummary>;

export const AssetAnswer = t.type({
  id: t.string,
  kind: t.string,
  sha256: t.string,
  size_bytes: t.number,
  content_type: t.string,
  file_name: t.string,
});
export type AssetAnswer = t.TypeOf<typeof AssetAnswer>;

export const DocumentAnswer = t.intersection([
  VersionAnswer,
  t.type({ document: t.intersection([DocumentSummary, t.type({ assets: t.readonlyArray(AssetAnswer) })]) }),
]);
export type DocumentAnswer = t.TypeOf<typeof DocumentAnswer>;

const Finding = t.type({ path: t.string, message: t.string });

const LayerTimes = t.type({ id: t.string, start_s: nullable(t.number), end_s: nullable(t.number) });
export type LayerTimes = t.TypeOf<typeof LayerTimes>;

/** A former release of the service answers without `layers`. */
export const CheckAnswer = t.intersection([
  t.type({
    valid: t.boolean,
    faults: t.readonlyArray(Finding),
    warnings: t.readonlyArray(Finding),
    frames: nullable(t.number),
    duration_s: nullable(t.number),
    price_credits: nullable(t.number),
  }),
  t.partial({ layers: nullable(t.readonlyArray(LayerTimes)) }),
]);
export type CheckAnswer = t.TypeOf<typeof CheckAnswer>;

export const TeamAnswer = t.type({
  id: t.string,
  name: t.string,
  account_id: t.string,
  role: nullable(t.string),
});
export type TeamAnswer = t.TypeOf<typeof TeamAnswer>;

export const AccountAnswer = t.type({
  id: t.string,
  name: t.string,
  credits: t.type({ unlimited: t.boolean, balance: nullable(t.number), reserved: t.number }),
});
export type AccountAnswer = t.TypeOf<typeof AccountAnswer>;
