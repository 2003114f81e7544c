import { type FaultReport, report } from '../report.ts';

/** renderctl lacks an address, a key or a program. */
export type SetupFault =
  | { readonly tag: 'no_stack' }
  | { readonly tag: 'stack_file_unreadable'; readonly path: string; readonly message: string }
  | { readonly tag: 'not_configured'; readonly faults: readonly string[] }
  | { readonly tag: 'unreachable'; readonly what: string; readonly address: string; readonly next_step?: string }
  | { readonly tag: 'no_api_key' }
  | { readonly tag: 'not_logged_in'; readonly url: string }
  /** There is an API key, but the command needs a person. */
  | { readonly tag: 'session_needed'; readonly url: string }
  /** The person did not approve the log-in in time. */
  | { readonly tag: 'not_approved' }
  /** The person has several teams, or none. */
  | { readonly tag: 'no_team'; readonly teams: readonly string[] }
  | { readonly tag: 'log_in_unreadable'; readonly path: string; readonly message: string }
  /** The command works only with direct access to the servers. */
  | { readonly tag: 'needs_servers'; readonly url: string }
  /** The service cannot send requests to this machine. */
  | { readonly tag: 'not_reachable_here'; readonly url: string }
  /** A program, the disk or the sandbox of this machine is at fault. */
  | { readonly tag: 'media_not_read'; readonly message: string }
  /** The request is valid; a program, the disk or a timeout of this machine is at fault. */
  | { readonly tag: 'engine_failed'; readonly message: string };

export const setupReport = (fault: SetupFault): FaultReport => {
  switch (fault.tag) {
    case 'no_stack':
      return report(
        'no stack is running here',
        'start one with "make start", set the addresses in the environment, or log in to a service with "renderctl log in --url https://…"',
      );
    case 'stack_file_unreadable':
      return report(`${fault.path} cannot be read: ${fault.message}`, 'start the stack again with "make start"');
    case 'not_configured':
      return report(
        'the settings in the environment are incomplete',
        'set them, or start a stack with "make start"',
        fault.faults,
      );
    case 'unreachable':
      return report(
        `${fault.what} does not answer at ${fault.address}`,
        fault.next_step ?? 'is the stack running? "make start" starts it',
      );
    case 'no_api_key':
      return report('there is no API key', 'set RENDERCTL_API_KEY; "renderctl key create" issues one');
    case 'not_logged_in':
      return report(
        `you are not logged in at ${fault.url}`,
        `run "renderctl log in --url ${fault.url}", or set RENDERCTL_API_KEY`,
      );
    case 'session_needed':
      return report(
        'this command needs a person, and an API key is not enough',
        `log in with "renderctl log in --url ${fault.url}", or use the dashboard at ${fault.url}/dashboard/`,
      );
    case 'not_approved':
      return report('the log-in was not approved in time', 'run the same command again');
    case 'no_team':
      return fault.teams.length === 0
        ? report('you have no team', 'ask an owner or admin for an invitation')
        : report('you have several teams', 'choose one with --team, or with "renderctl team use TEAM"', fault.teams);
    case 'log_in_unreadable':
      return report(`${fault.path} cannot be read: ${fault.message}`, 'log in again with "renderctl log in"');
    case 'needs_servers':
      return report(
        `this command needs access to the servers, and only ${fault.url} can be reached from here`,
        `use the dashboard at ${fault.url}/dashboard/, or run the command where the servers are`,
      );
    case 'not_reachable_here':
      return report(
        `the service at ${fault.url} cannot send requests to this machine, so "webhook listen" gets no deliveries`,
        'give your server a public https address, for example with a tunnel, and run "renderctl webhook create URL --all-events"; or run "make start" and "webhook listen" here',
      );
    case 'media_not_read':
      return report(
        `the media could not be checked on this machine: ${fault.message}`,
        'the check needs ffprobe (FFPROBE_PATH) and free space in TMPDIR; use --no-media-check to skip it',
      );
    case 'engine_failed':
      return report(
        `the picture could not be drawn on this machine: ${fault.message}`,
        fault.message.includes('could not be started') ? 'install ffmpeg, or set FFMPEG_PATH and FFPROBE_PATH' : null,
      );
  }
};
