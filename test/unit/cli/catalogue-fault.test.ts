import test from 'ava';
import type { CatalogueFault } from '../../../catalogue/fault.ts';
import type { QuickstartConflict } from '../../../catalogue/quickstart-conflict.ts';
import { cliFault } from '../../../cli/catalogue/catalogue-fault.ts';
import { reportOf } from '../../../cli/fault.ts';
import { reportText } from '../../../cli/output.ts';

const told = (fault: CatalogueFault): string => reportText(reportOf(cliFault(fault)));

const meta = { event_id: 'e', occurred_at: 1, actor: 'operator:ops', causation_id: null, correlation_id: null };
const event = { type: 'TeamCreated', rules: 0, meta, team_id: 'team_1', account_id: 'acc_1', name: 'T' } as const;
const illegal = { tag: 'illegal', reason: 'account_unknown', event } as const;

const conflict = (found: QuickstartConflict): CatalogueFault => ({ tag: 'quickstart_conflict', conflict: found });

const TOLD: Readonly<Record<CatalogueFault['tag'], readonly (readonly [CatalogueFault, RegExp])[]>> = {
  illegal: [
    [{ ...illegal, ignored_at: null }, /^renderctl: there is no account acc_1; list .*"renderctl account list"\n$/],
    [
      { ...illegal, ignored_at: 7 },
      /no account acc_1; .* \(another change came first, so the record at offset 7 of the log had no effect\)/,
    ],
  ],
  name_refused: [[{ tag: 'name_refused', message: 'the name must not' }, /^renderctl: the name must not\n$/]],
  address_refused: [
    [{ tag: 'address_refused', about: 'url', message: 'it must begin' }, /^renderctl: it must begin\n$/],
  ],
  still_last: [
    [
      { tag: 'still_last', user_id: 'user_1', team_ids: ['team_1', 'team_2'], account_ids: [] },
      /user user_1 is the last admin of team_1, team_2, whose account has no owner; make another .*"renderctl member role team_1 USER admin", or an owner/,
    ],
    [
      { tag: 'still_last', user_id: 'user_1', team_ids: [], account_ids: ['acc_1'] },
      /the last owner of acc_1; add another .*"renderctl account owner add acc_1 USER", or erase .*"renderctl erase account acc_1"/,
    ],
  ],
  missing: [
    [{ tag: 'missing', kind: 'api_key', id: 'key_1' }, /there is no key key_1; list them with "renderctl key list"/],
    [
      { tag: 'missing', kind: 'account_member', id: 'acc_1/user_1' },
      /there is no member of an account acc_1\/user_1; .*"renderctl account owner list acc_1"/,
    ],
    [
      { tag: 'missing', kind: 'membership', id: 'team_1/user_1' },
      /there is no member team_1\/user_1; .*"renderctl member list --team team_1"/,
    ],
  ],
  version_missing: [
    [
      { tag: 'version_missing', project_id: 'proj_1', version: 3 },
      /there is no version 3 of proj_1; list them with "renderctl project versions proj_1"/,
    ],
  ],
  text_pending: [
    [
      { tag: 'text_pending', project_id: 'proj_1' },
      /the name and document of project proj_1 cannot be read from the blob store; "renderctl partition list"/,
    ],
  ],
  no_version: [
    [{ tag: 'no_version', project_id: 'proj_1', needed_for: 'assets' }, /proj_1 has no versions; import one with/],
    [
      { tag: 'no_version', project_id: 'proj_1', needed_for: 'name' },
      /no versions, so it has no name to change; import/,
    ],
  ],
  already_imported: [
    [
      { tag: 'already_imported', project_id: 'proj_1', version: 2 },
      /proj_1 already exists at version 2; .*"--project proj_1"/,
    ],
  ],
  read_model_rebuilding: [
    [
      { tag: 'read_model_rebuilding', waited_ms: 15_000 },
      /read model was not ready within 15 s, because it is being rebuilt; nothing was changed; are the projectors/,
    ],
  ],
  no_ledger_yet: [[{ tag: 'no_ledger_yet' }, /projectors are rebuilding the credit ledger from the log; try again/]],
  quickstart_conflict: [
    [
      conflict({ tag: 'erased_before', id: 'acc_demo' }),
      /^renderctl: acc_demo was erased, and its id cannot be reused; nothing was created; use another --id\n$/,
    ],
    [
      conflict({ tag: 'another_account', account_id: 'acc_demo', name: 'Acme' }),
      /^renderctl: acc_demo already exists with the name "Acme"; nothing was created; use another --id, or use this name as --name\n$/,
    ],
    [
      conflict({ tag: 'account_has_limit', account_id: 'acc_demo' }),
      /has a credit limit; nothing was created; .*"renderctl account unlimited acc_demo on"/,
    ],
    [
      conflict({ tag: 'another_grant', account_id: 'acc_demo', grant_id: 'grant_demo', credits: 7 }),
      /grant_demo already exists with 7 credits; nothing was created; .*"renderctl account grant acc_demo CREDITS"/,
    ],
    [
      conflict({ tag: 'team_of_another_account', team_id: 'team_demo', account_id: 'acc_1' }),
      /team_demo already exists in account acc_1; nothing was created; use another --id/,
    ],
    [
      conflict({ tag: 'project_of_another_team', project_id: 'proj_demo', team_id: 'team_1' }),
      /proj_demo already exists in team team_1; nothing was created; use another --id/,
    ],
  ],
  quickstart_incomplete: [
    [
      { tag: 'quickstart_incomplete', cause: { tag: 'unconfirmed', message: 'timed out', event } },
      /unknown whether the change was written to the log: timed out; run the same command again to continue/,
    ],
    [
      { tag: 'quickstart_incomplete', cause: { ...illegal, ignored_at: 7 } },
      /^renderctl: another command created part of it at the same time \(account_unknown\); run the same command again to continue/,
    ],
    [
      {
        tag: 'quickstart_incomplete',
        cause: { tag: 'import_incomplete', project_id: 'proj_1', cause: { ...illegal, ignored_at: null } },
      },
      /^renderctl: another command created part of it at the same time .*; run the same command again to continue/,
    ],
    [
      {
        tag: 'quickstart_incomplete',
        cause: { tag: 'import_incomplete', project_id: 'proj_1', cause: { tag: 'blob_failed', message: 'away' } },
      },
      /^renderctl: the blob store refused the request: away/,
    ],
  ],
  secret_replaced: [
    [
      { tag: 'secret_replaced', endpoint_id: 'whe_1' },
      /webhook endpoint whe_1 was deleted, or its secret was replaced again: .* not in use; see "renderctl webhook show whe_1"/,
    ],
  ],
  read_model_behind: [
    [{ tag: 'read_model_behind', waited_ms: 15_000 }, /did not catch up with the log.*nothing was changed/],
  ],
  not_appended: [
    [{ tag: 'not_appended', message: 'no leader' }, /the change was not written to the log: no leader; try again/],
  ],
  unconfirmed: [
    [
      { tag: 'unconfirmed', message: 'timed out', event },
      /unknown whether the change was written to the log: timed out; repeat the command with "--id team_1"/,
    ],
  ],
  not_shown: [
    [{ tag: 'not_shown', offset: 7, waited_ms: 1_000 }, /the change is in the log at offset 7, .*within 1 s/],
  ],
  invalid_project: [
    [
      { tag: 'invalid_project', path: 'p.json', faults: [{ path: 'name', message: 'is required' }] },
      /p\.json has 1 error; nothing was imported\n {2}name: is required/,
    ],
  ],
  assets_taken: [
    [
      { tag: 'assets_taken', files: [{ path: 'a/logo.png', id: 'logo' }] },
      /1 error; nothing was added\n {2}a\/logo\.png: the project already has a different asset "logo"; use --replace/,
    ],
  ],
  file_changed: [
    [
      { tag: 'file_changed', path: 'a.png' },
      /a\.png cannot be read: the file changed during the import; import it again/,
    ],
  ],
  blob_failed: [[{ tag: 'blob_failed', message: 'away' }, /blob store refused the request: away/]],
  import_incomplete: [
    [
      { tag: 'import_incomplete', project_id: 'proj_1', cause: { ...illegal, ignored_at: null } },
      /there is no account acc_1.*; project proj_1 was created; import again with "--project proj_1"/,
    ],
  ],
};

for (const [tag, faults] of Object.entries(TOLD))
  test(`${tag} has a message that says what to do next`, (t) => {
    for (const [fault, text] of faults) t.regex(told(fault), text);
  });
