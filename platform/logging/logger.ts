import { type DestinationStream, type LevelWithSilent, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { errorForLog } from './error-for-log.ts';

export type Logger = PinoLogger;

const SECRETS = [
  'authorization',
  'headers.authorization',
  'headers.cookie',
  'req.headers.authorization',
  'password',
  'secret',
  'api_key',
  'connection_string',
];

export const createLogger = (name: string, level: LevelWithSilent = 'info', destination?: DestinationStream): Logger =>
  pino(
    {
      name,
      level,
      base: { name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRETS, censor: '[secret]' },
      errorKey: 'error',
      serializers: { err: errorForLog },
    },
    destination,
  );
