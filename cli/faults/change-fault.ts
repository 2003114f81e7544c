import { type Report, report } from '../report.ts';

/** The catalogue has no such entity, or did not accept or show a change. */
export type ChangeFault =
  | { readonly tag: 'not_found'; readonly what: string; readonly id: string; readonly list: string | null }
  /** The present state forbids the change. */
  | { readonly tag: 'refused'; readonly reason: string; readonly message: string }
  | { readonly tag: 'not_appended'; readonly message: string }
  | { readonly tag: 'outcome_unknown'; readonly message: string; readonly next_step: string }
  /** The read model does not show the log's changes yet, so the command made no decision. */
  | { readonly tag: 'read_model_behind'; readonly waited_ms: number }
  /** Like `read_model_behind`, but because a new version folds the read model again, or older projectors still run. */
  | { readonly tag: 'read_model_rebuilding'; readonly waited_ms: number }
  /** After an upgrade: the projectors still fold the data that the command reads. */
  | { readonly tag: 'not_folded_yet'; readonly what: string }
  | {
      readonly tag: 'not_shown';
      readonly offset: number;
      readonly waited_ms: number;
      /** A key that the log has and that cannot be shown again. */
      readonly key?: { readonly key_id: string; readonly key: string };
      /** The signing secret of a webhook endpoint, also shown only once. */
      readonly secret?: { readonly endpoint_id: string; readonly secret: string };
      /** The token of an invitation, also shown only once. */
      readonly invitation?: { readonly invitation_id: string; readonly token: string };
    };

/** Secrets of a change that the read model does not show yet. */
const shownOnce = ({ key, secret, invitation }: Extract<ChangeFault, { tag: 'not_shown' }>): readonly string[] => [
  ...(key === undefined ? [] : [`the key ${key.key_id}, shown only once and not stored: ${key.key}`]),
  ...(secret === undefined ? [] : [`the secret of ${secret.endpoint_id}, shown only once: ${secret.secret}`]),
  ...(invitation === undefined
    ? []
    : [`the token of ${invitation.invitation_id}, shown only once: ${invitation.token}`]),
];

export const changeReport = (fault: ChangeFault): Report => {
  switch (fault.tag) {
    case 'not_found':
      return report(
        `there is no ${fault.what} ${fault.id}`,
        fault.list === null ? null : `list them with "${fault.list}"`,
      );
    case 'refused':
      return report(fault.message);
    case 'not_appended':
      return report(`the log did not accept the change, nothing changed: ${fault.message}`, 'try again');
    case 'outcome_unknown':
      return report(`it is unknown whether the log has the change: ${fault.message}`, fault.next_step);
    case 'read_model_behind':
      return report(
        `the read model is behind the log and did not catch up within ${fault.waited_ms / 1000} s; nothing was changed`,
        'are the projectors running? try again when they have caught up',
      );
    case 'read_model_rebuilding':
      return report(
        `the read model of this version was not complete within ${fault.waited_ms / 1000} s; nothing was changed`,
        'are the projectors of this version running? try again when they have folded the catalogue',
      );
    case 'not_folded_yet':
      return report(
        `${fault.what} not complete yet: this version folds the log from its beginning`,
        'are the projectors of this version running? try again when "renderctl status" says that both read models serve',
      );
    case 'not_shown':
      return report(
        `the log has the change at offset ${fault.offset}, but the read model does not show it after ${fault.waited_ms / 1000} s`,
        'are the projectors running? do not repeat the command: the change will appear by itself',
        shownOnce(fault),
      );
  }
};
