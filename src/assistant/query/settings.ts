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
      'Port of the query service where it runs together with others; one that runs alone takes PORT when that ' +
      'is set. 0 picks a free one and logs it.',
  }),
  API_TOKEN: optionalText({
    group,
    secret: true,
    description:
      'Token that requests to the query service must bear, as `Authorization: Bearer`. Without it whoever ' +
      'reaches the port may ask.',
  }),
  INDEXER_DATABASE_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Where statements about the chain run: best a hot standby, with an account that may only read. Without ' +
      'it the database of DB_URL, as the role flowfarm_reader.',
  }),
  EVM_EXPLORER_DATABASE_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['postgres', 'postgresql'],
    description:
      'Database of an EVM explorer (Blockscout), best with an account that may only read. Without it there ' +
      'are no questions about it and no tools for it.',
  }),
  QUERY_TIMEOUT_S: integer({
    group,
    default: 30,
    min: 1,
    max: 3600,
    unit: 's',
    description: 'Longest time of a statement; the server ends it then.',
  }),
  MAX_RESULT_ROWS: integer({
    group,
    default: 500,
    min: 1,
    max: 100_000,
    unit: 'rows',
    description: 'Most rows of an answer. What is cut is told by `truncated`.',
  }),
  ASK_MAX_RESULT_BYTES: integer({
    group,
    default: 8_000_000,
    min: 1000,
    max: 256_000_000,
    unit: 'bytes',
    description: 'Most bytes of an answer, as the server sends its values. What is cut is told by `truncated`.',
  }),
  ASK_CONCURRENCY: optionalInteger({
    group,
    min: 1,
    max: 100,
    unit: 'statements',
    defaultText: 'as many as there are processors, from 2 to 4',
    description:
      'Statements that a process runs at the same time in each database, so that the explorer stays fast ' +
      'however many ask.',
  }),
  ASK_QUEUE: integer({
    group,
    default: 1000,
    min: 0,
    max: 100_000,
    unit: 'statements',
    description: 'Statements that may wait for their turn; those beyond are refused at once with 503 and Retry-After.',
  }),

  ...llmSettings,
  CHROMA_PERSIST_DIR: text({
    group,
    default: './chroma_data',
    description: 'Folder of the examples that users approved: questions with their SQL.',
  }),

  MCP_PORT: integer({
    group: mcp,
    default: 8085,
    min: 0,
    max: 65_535,
    description: 'Port of the MCP server, at /mcp; 0 picks a free one and logs it.',
  }),
  MCP_AUTH_ENABLED: boolean({
    group: mcp,
    default: true,
    description: 'Ask for a key. Direct connections from this machine need none in any case.',
  }),
  MCP_ADMIN_KEY: optionalText({
    group: mcp,
    secret: true,
    description: 'Key without a limit. Without it there is none.',
  }),
  MCP_RATE_LIMIT: integer({
    group: mcp,
    default: 60,
    min: 1,
    max: 1_000_000,
    unit: 'requests per minute and key',
    description: 'Most requests with a developer key.',
  }),
  MCP_ALLOWED_HOSTS: list({
    group: mcp,
    description:
      'Host names that requests may be for besides this machine and HOST, such as that of a proxy. Where HOST ' +
      'is 0.0.0.0 and none is named, requests with a key may be for any.',
  }),
  MCP_ALLOWED_ORIGINS: list({
    group: mcp,
    description: 'Origins of web pages that may call it. Without it those of this machine only.',
  }),
  BACKEND_URL: url({
    group: mcp,
    schemes: ['http', 'https'],
    default: 'http://127.0.0.1:8080',
    description: 'The explorer API, which tells whether a developer key is valid (/auth/verify-key).',
  }),
  CHAIN_REST_URL: optionalUrl({
    group: mcp,
    secret: true,
    schemes: ['http', 'https'],
    description:
      'REST API of an access node, such as https://rest-mainnet.onflow.org, that runs the scripts of callers ' +
      '(/v1/scripts). Without it the nodes run them that the chain is read from.',
  }),
} satisfies Record<string, Setting<unknown>>
