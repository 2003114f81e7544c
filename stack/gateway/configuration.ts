import { httpUrl } from '../../platform/configuration/forms.ts';
import type { Part } from '../../platform/configuration/parts.ts';
import { required } from '../../platform/configuration/variable.ts';

export const GATEWAY = {
  title: 'Gateway',
  variables: {
    command_api_url: required(
      { name: 'COMMAND_API_URL', description: 'Where writing requests go.', example: 'http://127.0.0.1:8081' },
      httpUrl,
    ),
    query_api_url: required(
      { name: 'QUERY_API_URL', description: 'Where reading requests go.', example: 'http://127.0.0.1:8082' },
      httpUrl,
    ),
  },
} satisfies Part;
