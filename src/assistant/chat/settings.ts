import { boolean, integer, optionalInteger, optionalText, optionalUrl, text, words } from '../../platform/setting.ts'
import type { Setting } from '../../platform/setting.ts'

/** Variables of the chat, of the tool servers that it may use, and of the reverse proxy. */

const group = 'Chat'
const tools = 'Tool servers'
const proxy = 'Reverse proxy'
const http = ['http', 'https']

export const chatSettings = {
  CHAT_PORT: integer({
    group,
    default: 3001,
    min: 0,
    max: 65_535,
    description: 'Port of the chat: its page and /api/chat; 0 picks a free one and logs it.',
  }),
  CHAT_MODES: words({
    group,
    default: ['fast', 'balanced', 'deep'],
    description: 'Modes that people may choose. The model of deep is the dearest; fast answers with the smallest.',
  }),
  CHAT_MODEL_FAST: optionalText({
    group,
    description:
      'Model of the mode fast. Without it the smallest of the provider; openai-compatible has LLM_MODEL for all modes.',
  }),
  CHAT_MODEL_DEEP: optionalText({
    group,
    description:
      'Model of the mode deep, which thinks before it answers. Without it the largest of the provider; ' +
      'openai-compatible has LLM_MODEL for all modes.',
  }),
  CHAT_RATE_LIMIT: integer({
    group,
    default: 20,
    min: 1,
    max: 1_000_000,
    unit: 'answers per minute and client',
    description: 'Most answers that one client may ask for. Direct connections from this machine have no limit.',
  }),
  CHAT_CONCURRENCY: integer({
    group,
    default: 200,
    min: 1,
    max: 100_000,
    unit: 'answers',
    description:
      'Answers that a process gives at the same time; those beyond are refused at once with 503 and Retry-After.',
  }),
  CHAT_CLIENT_CONCURRENCY: integer({
    group,
    default: 4,
    min: 1,
    max: 100_000,
    unit: 'answers',
    description:
      'Answers that one client is given at the same time. Direct connections from this machine have no limit.',
  }),
  CHAT_TIMEOUT_S: integer({
    group,
    default: 300,
    min: 10,
    max: 3600,
    unit: 's',
    description: 'Longest time of an answer with all its tools; it is ended then, and says so.',
  }),
  CHAT_EXPLORER_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'Where people reach the explorer. Addresses and ids in answers lead there; without it they lead nowhere.',
  }),
  CHAT_WEB_SEARCH: boolean({
    group,
    default: true,
    description:
      'Let the model search the web where its provider has a search of its own (Anthropic). No other search ' +
      'is built in.',
  }),
  FETCH_API_HOSTS: words({
    group,
    default: [
      'rest-mainnet.onflow.org',
      'rest-testnet.onflow.org',
      'evm.flowscan.io',
      'api.coingecko.com',
      'api.llama.fi',
    ],
    description:
      'Hosts that the tool fetch_api may call, by HTTPS on port 443. A host stands for itself and not for ' +
      'those below it; `none`: there is no such tool.',
  }),
  SKILLS_DIR: optionalText({
    group,
    description: 'Folder of the skills: <folder>/<name>/SKILL.md. Without it the ones that come with flowfarm.',
  }),
  MCP_SERVER_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'The MCP server whose tools the chat uses. Without it that of this process, or http://127.0.0.1:8085/mcp.',
  }),
  MCP_SERVER_KEY: optionalText({
    group,
    secret: true,
    description: 'Key for MCP_SERVER_URL. One on this machine wants none.',
  }),
  SCRIPT_MCP_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'MCP server with tools for Cadence (script_check, search_docs …). Without it our own, where the service ' +
      'tools runs.',
  }),
  EVM_MCP_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'MCP server with tools for the EVM (evm_rpc, evm_call …). Without it our own, where the service tools runs.',
  }),
  CHAT_TOOL_CONNECT_MS: integer({
    group,
    default: 3000,
    min: 100,
    max: 60_000,
    unit: 'ms',
    description: 'How long a turn waits for an MCP server that does not answer, before it goes on without its tools.',
  }),

  TOOLS_PORT: integer({
    group: tools,
    default: 8086,
    min: 0,
    max: 65_535,
    description: 'Port of our own tool servers, at /script/mcp and /evm/mcp; 0 picks a free one and logs it.',
  }),
  TOOLS_HOST: text({
    group: tools,
    default: '127.0.0.1',
    description:
      'Address that the tool servers bind. They ask for no key, so it should be one that only the chat reaches.',
  }),
  EVM_RPC_URL: optionalUrl({
    group: tools,
    secret: true,
    schemes: http,
    description:
      'JSON-RPC of an EVM node, such as https://mainnet.evm.nodes.onflow.org, that the EVM tools read from. ' +
      'Without it there are none.',
  }),

  PROXY_PORT: optionalInteger({
    group: proxy,
    min: 0,
    max: 65_535,
    description:
      'Port of the reverse proxy before the chat, the query service and the MCP server. Without it 80 where ' +
      'the service proxy is named on the command line, and no proxy where all services run.',
  }),
  PROXY_CHAT_URL: optionalUrl({
    group: proxy,
    schemes: ['http'],
    description: 'The chat, which has / and /api/chat. Without it that of this process, or http://127.0.0.1:3001.',
  }),
  PROXY_ASK_URL: optionalUrl({
    group: proxy,
    schemes: ['http'],
    description:
      'The query service, which has the rest of /api/, /health, /docs and /openapi.json. Without it that of ' +
      'this process, or http://127.0.0.1:8084.',
  }),
  PROXY_MCP_URL: optionalUrl({
    group: proxy,
    schemes: ['http'],
    description: 'The MCP server, which has /mcp. Without it that of this process, or http://127.0.0.1:8085.',
  }),
} satisfies Record<string, Setting<unknown>>
