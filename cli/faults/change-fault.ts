import { type FaultReport, report } from '../report.ts';

/** The catalogue has no such entity, or did not accept or show a change. */
export type ChangeFault =
  | { readonly tag: 'not_found'; readonly what: string; readonly id: string; readonly list: string | null }
  /** The current state does not allow the change. */
  | { readonly tag: 'refused'; readonly reason: string; readonly message: string }
  | { readonly tag: 'not_appended'; readonly message: string }
  | { readonly tag: 'outcome_unknown'; readonly message: string; readonly next_step: string }
  /** The read model is behind the log, so the command could not decide. */
  | { readonly tag: 'read_model_behind'; readonly waited_ms: number }
  /** The read model is behind because a new version folds it again, or because the projectors are older. */
  | { readonly tag: 'read_model_rebuilding'; readonly waited_ms: number }
  /** After an upgrade, the projectors are still folding the data that the command reads. */
  | { readonly tag: 'not_folded_yet'; readonly what: string }
  | {
      readonly tag: 'not_shown';
      readonly offset: number;
      readonly waited_ms: number;
      /** The secrets that the change created, because they cannot be shown again. */
      readonly key?: { readonly key_id: string; readonly key: string };
      readonly secret?: { readonly endpoint_id: string; readonly secret: string };
      readonly invitation?: { readonly invitation_id: string; readonly token: string };
    };

const shownOnce = ({ key, secret, invitation }: Extract<ChangeFault, { tag: 'not_shown' }>): readonly string[] => [
  ...(key === undefined ? [] : [`the key ${key.key_id}, shown only once: ${key.key}`]),
  ...(secret === undefined ? [] : [`the secret of ${secret.endpoint_id}, shown only once: ${secret.secret}`]),
  ...(invitation === undefined
    ? []
    : [`the token of ${invitation.invitation_id}, shown only once: ${invitation.token}`]),
];

export const changeReport = (fault: ChangeFault): FaultReport => {
  switch (fault.tag) {
    case 'not_found':
      return report(
        `there is no ${fault.what} ${fault.id}`,
        fault.list === null ? null : `list them with "${fault.list}"`,
      );
    case 'refused':
      return report(fault.message);
    case 'not_appended':
      return report(`the change was not written to the log: ${fault.message}`, 'try again');
    case 'outcome_unknown':
      return report(`it is unknown whether the change was written to the log: ${fault.message}`, fault.next_step);
    case 'read_model_behind':
      return report(
        `the read model did not catch up with the log within ${fault.waited_ms / 1000} s; nothing was changed`,
        'are the projectors running? try again later',
      );
    case 'read_model_rebuilding':
      return report(
        `the read model was not ready within ${fault.waited_ms / 1000} s, because it is being rebuilt; nothing was changed`,
        'are the projectors of this version running? "renderctl status" shows their progress',
      );
    case 'not_folded_yet':
      return report(
        `${fault.what} not complete yet: a new version is building its read models from the log`,
        'are the projectors of this version running? "renderctl status" shows their progress',
      );
    case 'not_shown':
      return report(
        `the change is in the log at offset ${fault.offset}, but the read model did not show it within ${fault.waited_ms / 1000} s`,
        'are the projectors running? do not repeat the command: the change will appear later',
        shownOnce(fault),
      );
  }
};
