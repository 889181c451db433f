import {
  boolean,
  integer,
  list,
  optionalInteger,
  optionalText,
  optionalUrl,
  text,
  url,
} from '../../platform/setting.ts'
import type { Setting } from '../../platform/setting.ts'
import { llmSettings } from '../../platform/llm/settings.ts'

const group = 'Query service'
const mcp = 'MCP server'

export const askSettings = {
  ASK_PORT: integer({
    group,
    default: 8084,
    min: 0,
    max: 65_535,
    description:
      'Port of the query service when it runs with other services; on its own it uses PORT if set. 0 picks a free ' +
      'port and logs it.',
  }),
  API_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Bearer token required by the query service (`Authorization: Bearer`). If unset, anyone who can reach the ' +
      'port can query it.',
  }),
  INDEXER_DATABASE_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Database for user statements: ideally a hot standby with a read-only account. Default: the database of ' +
      'DB_URL, as role flowfarm_reader.',
  }),
  EVM_EXPLORER_DATABASE_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Database of an EVM explorer (Blockscout), ideally with a read-only account. If unset, EVM queries and ' +
      'tools are unavailable.',
  }),
  QUERY_TIMEOUT_S: integer({
    group,
    default: 30,
    min: 1,
    max: 3600,
    unit: 's',
    description: 'Maximum run time of a statement.',
  }),
  MAX_RESULT_ROWS: integer({
    group,
    default: 500,
    min: 1,
    max: 100_000,
    unit: 'rows',
    description: 'Maximum rows of a result. `truncated` is true if rows were cut.',
  }),
  ASK_MAX_RESULT_BYTES: integer({
    group,
    default: 8_000_000,
    min: 1000,
    max: 256_000_000,
    unit: 'bytes',
    description: 'Maximum bytes of a result, as sent by the server. `truncated` is true if rows were cut.',
  }),
  ASK_CONCURRENCY: optionalInteger({
    group,
    min: 1,
    max: 100,
    unit: 'statements',
    defaultText: 'number of CPUs, from 2 to 4',
    description: 'Concurrent statements per process and database. Keeps the explorer fast under load.',
  }),
  ASK_QUEUE: integer({
    group,
    default: 1000,
    min: 0,
    max: 100_000,
    unit: 'statements',
    description: 'Maximum queued statements; further ones are refused with 503 and Retry-After.',
  }),

  ...llmSettings,
  CHROMA_PERSIST_DIR: text({
    group,
    default: './chroma_data',
    description: 'Folder of user-approved examples (questions with SQL).',
  }),

  MCP_PORT: integer({
    group: mcp,
    default: 8085,
    min: 0,
    max: 65_535,
    description: 'Port of the MCP server (path /mcp); 0 picks a free port and logs it.',
  }),
  MCP_AUTH_ENABLED: boolean({
    group: mcp,
    default: true,
    description: 'Require an API key. Direct local connections never need one.',
  }),
  MCP_ADMIN_KEY: optionalText({
    group: mcp,
    secret: true,
    description: 'API key without a rate limit.',
  }),
  MCP_RATE_LIMIT: integer({
    group: mcp,
    default: 60,
    min: 1,
    max: 1_000_000,
    unit: 'requests per minute and key',
    description: 'Maximum requests per developer key.',
  }),
  MCP_ALLOWED_HOSTS: list({
    group: mcp,
    description:
      'Host names allowed in requests besides HOST and this machine, such as that of a proxy. If empty and HOST is ' +
      '0.0.0.0, any name is allowed with a key.',
  }),
  MCP_ALLOWED_ORIGINS: list({
    group: mcp,
    description: 'Origins of web pages that may call the server. Pages of this machine always may.',
  }),
  BACKEND_URL: url({
    group: mcp,
    schemes: ['http', 'https'],
    default: 'http://127.0.0.1:8080',
    description: 'Explorer API that validates developer keys (/auth/verify-key).',
  }),
  CHAIN_REST_URL: optionalUrl({
    group: mcp,
    secret: true,
    schemes: ['http', 'https'],
    description:
      'REST API of an access node that runs scripts of callers (/v1/scripts), such as ' +
      'https://rest-mainnet.onflow.org. Default: the configured access nodes.',
  }),
} satisfies Record<string, Setting<unknown>>
