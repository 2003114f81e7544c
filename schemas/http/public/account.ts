import type * as t from 'io-ts';
import type { LimitedResource } from '../../../domain/catalogue/events.ts';
import { LIMITED_RESOURCES } from '../../../domain/catalogue/limits.ts';
import { CREDITS_PER_MEGAPIXEL_SECOND, MIN_CREDITS } from '../../../domain/pricing.ts';
import type { UploadLimits } from '../../../domain/uploads/limits.ts';
import { ACCOUNT_ID } from '../ids.ts';
import {
  boolean,
  count,
  definitionsOf,
  integer,
  number,
  object,
  orNull,
  resource,
  text,
  withDescription,
} from '../shapes.ts';
import { jsonResponse, type PublicOperation } from './operation.ts';
import { refusal } from './responses.ts';
import { getSamples } from './samples/code-samples.ts';

const limitOf = (what: string) =>
  object(what, { used: count('How many exist now.'), limit: count('How many may exist.') });

const bytesOf = (what: string) =>
  object(what, { used: count('The bytes now.'), limit: count('The bytes that may exist.') });

const UPLOADS = {
  in_progress: limitOf('Uploads that are neither ready nor refused.'),
  bytes_in_progress: bytesOf('The bytes of these uploads.'),
  uploads: limitOf('All uploads.'),
  bytes: bytesOf('The bytes of all uploads, and of the files of all projects. Each project has files of its own.'),
};

/** Descriptions of what counts. */
const COUNTED: Readonly<Partial<Record<string, string>>> = {
  keys: 'API keys that are not revoked, expired or rotated.',
  endpoints: 'Webhook endpoints that are not deleted.',
  teams: 'All teams ever created.',
  projects: 'Projects that are not erased.',
  members: 'Owners and members of teams, each person once.',
  inline_projects: 'Projects of documents in requests of renders, without erased ones.',
};

const LIMITS = Object.fromEntries(
  LIMITED_RESOURCES.map((name) => [name, limitOf(COUNTED[name] ?? `The limit \`${name}\`.`)]),
);

export const CREDITS = {
  unlimited: boolean('Whether renders are never refused for lack of credits.'),
  balance: orNull(
    integer(''),
    'The credits that new renders may use: all grants, less what was charged and is reserved. Less than 0 if renders cost more than the account had; null if the credits are unlimited.',
  ),
  reserved: count('Reserved for renders that are neither complete nor failed.'),
  charged: count('Charged for complete renders, since the beginning.'),
  granted: count('All grants, since the beginning.'),
};

const Credits = object('Its credits. They may be some seconds old.', CREDITS);

export const Account = resource('Account', 'The account of the key: what it has, what renders cost, and its limits.', {
  id: withDescription(ACCOUNT_ID, 'The account.'),
  name: text('Its name.'),
  credits: Credits,
  prices: object(
    'The price of a render: its width times its height in millions of pixels, times its seconds, times `credits_per_megapixel_second`, rounded up, and at least `min_credits`. A draft costs as much as a video of its size. Variants and previews cost nothing. A render that fails or is cancelled costs nothing.',
    {
      credits_per_megapixel_second: number('Credits for a second of a million pixels, at any frame rate.'),
      min_credits: integer('The lowest price of a render.', { minimum: 0 }),
    },
  ),
  limits: object('How much it may have, and how much exists.', LIMITS),
  uploads: object('Its uploads and the files of its projects, without the copies that renders have.', UPLOADS),
  renders: object('Its renders.', { waiting: limitOf('Renders that are neither complete nor failed.') }),
});
type Account = t.TypeOf<typeof Account>;

export const ACCOUNT_SCHEMAS = definitionsOf([Account]);

type Found = {
  readonly id: string;
  readonly name: string;
  readonly unlimited_credits: boolean;
  readonly granted_credits: number;
  readonly charged_credits: number;
  readonly reserved_credits: number;
  readonly left_credits: number | null;
};

/** The counts and limits of uploads, and of renders that have not ended. */
export type AccountWork = {
  readonly uploads: { readonly used: UploadLimits; readonly limits: UploadLimits };
  readonly waiting: { readonly used: number; readonly limit: number };
};

type FoundLimit = { readonly resource: LimitedResource; readonly used: number; readonly most: number };

export const creditsResource = (account: Omit<Found, 'id' | 'name'>): t.TypeOf<typeof Credits> => ({
  unlimited: account.unlimited_credits,
  balance: account.left_credits,
  reserved: account.reserved_credits,
  charged: account.charged_credits,
  granted: account.granted_credits,
});

const uploadsResource = ({ used, limits }: AccountWork['uploads']): Account['uploads'] => ({
  in_progress: { used: used.in_progress, limit: limits.in_progress },
  bytes_in_progress: { used: used.bytes_in_progress, limit: limits.bytes_in_progress },
  uploads: { used: used.uploads, limit: limits.uploads },
  bytes: { used: used.bytes, limit: limits.bytes },
});

export const accountResource = (
  account: Found,
  limits: readonly FoundLimit[],
  { uploads, waiting }: AccountWork,
): Account => {
  return {
    id: account.id,
    name: account.name,
    credits: creditsResource(account),
    prices: { credits_per_megapixel_second: CREDITS_PER_MEGAPIXEL_SECOND, min_credits: MIN_CREDITS },
    limits: Object.fromEntries(limits.map(({ resource: name, used, most }) => [name, { used, limit: most }])),
    uploads: uploadsResource(uploads),
    renders: { waiting },
  };
};

const EXAMPLE: Account = {
  id: 'acc_01KAJWXV2P',
  name: 'Acme',
  credits: { unlimited: false, balance: 388, reserved: 12, charged: 600, granted: 1_000 },
  prices: { credits_per_megapixel_second: 1, min_credits: 1 },
  limits: {
    keys: { used: 3, limit: 500 },
    endpoints: { used: 2, limit: 500 },
    teams: { used: 1, limit: 200 },
    projects: { used: 14, limit: 10_000 },
    members: { used: 5, limit: 1_000 },
    inline_projects: { used: 40, limit: 100_000 },
  },
  uploads: {
    in_progress: { used: 1, limit: 100 },
    bytes_in_progress: { used: 8_388_608, limit: 21_474_836_480 },
    uploads: { used: 25, limit: 2_000 },
    bytes: { used: 943_718_400, limit: 107_374_182_400 },
  },
  renders: { waiting: { used: 2, limit: 20_000 } },
};

export const ACCOUNT = {
  'GET /v1/account': {
    ...{ id: 'getAccount', tag: 'Account', summary: 'Read the account of the key' },
    description:
      'The credits, the prices and the limits of the account. All keys of the account get the same answer, whatever teams they reach. How long a render takes does not change its price.',
    answers: {
      200: jsonResponse('The account.', Account, { example: ['An account with credits', EXAMPLE] }),
      503: refusal(
        'A server that is needed is unavailable, or the credits are being counted after an upgrade.',
        {
          counting: ['After an upgrade', 'the credits are being counted from the log; try again later', 'unavailable'],
        },
        'Retry-After',
      ),
    },
    samples: getSamples('/v1/account'),
  },
} satisfies Readonly<Record<string, PublicOperation>>;
