import { boolean, integer, optionalInteger, optionalText, optionalUrl, text, words } from '../../platform/setting.ts'
import type { Setting } from '../../platform/setting.ts'

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
    description: 'Port of the chat (page and /api/chat); 0 picks a free port and logs it.',
  }),
  CHAT_MODES: words({
    group,
    default: ['fast', 'balanced', 'deep'],
    description: 'Modes that users may choose. `deep` uses the most expensive model, `fast` the smallest.',
  }),
  CHAT_MODEL_FAST: optionalText({
    group,
    description: 'Model of mode `fast`. Default: the smallest of the provider; LLM_MODEL for openai-compatible.',
  }),
  CHAT_MODEL_DEEP: optionalText({
    group,
    description:
      'Model of mode `deep`, which reasons before it answers. Default: the largest of the provider; LLM_MODEL for ' +
      'openai-compatible.',
  }),
  CHAT_RATE_LIMIT: integer({
    group,
    default: 20,
    min: 1,
    max: 1_000_000,
    unit: 'answers per minute and client',
    description: 'Maximum answers per client. Direct local connections are not limited.',
  }),
  CHAT_CONCURRENCY: integer({
    group,
    default: 200,
    min: 1,
    max: 100_000,
    unit: 'answers',
    description: 'Concurrent answers per process; further ones are refused with 503 and Retry-After.',
  }),
  CHAT_CLIENT_CONCURRENCY: integer({
    group,
    default: 4,
    min: 1,
    max: 100_000,
    unit: 'answers',
    description: 'Concurrent answers per client. Direct local connections are not limited.',
  }),
  CHAT_TIMEOUT_S: integer({
    group,
    default: 300,
    min: 10,
    max: 3600,
    unit: 's',
    description: 'Maximum time of an answer including its tools.',
  }),
  CHAT_CONTEXT_TOKENS: integer({
    group,
    default: 200_000,
    min: 8000,
    max: 10_000_000,
    unit: 'tokens',
    description:
      'Context size of the models. Half of it holds the conversation: when that is full, the oldest messages are not ' +
      'sent. More than 200,000 has no effect.',
  }),
  CHAT_EXPLORER_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'Public URL of the explorer, to which addresses and ids in answers link. If unset, they are not linked.',
  }),
  CHAT_SHARE_DAYS: integer({
    group,
    default: 30,
    min: 0,
    max: 3650,
    unit: 'days',
    description: 'How long links to shared chats work; 0 disables sharing. Existing links keep their expiry.',
  }),
  CHAT_WEB_SEARCH: boolean({
    group,
    default: true,
    description:
      'Let the model search the web if its provider offers a search (Anthropic, OpenAI). No other search is built in.',
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
      'Hosts that the tool fetch_api may call, over HTTPS on port 443. Subdomains are not included. `none` disables ' +
      'the tool.',
  }),
  SKILLS_DIR: optionalText({
    group,
    description: 'Folder of skills (<folder>/<name>/SKILL.md). Default: the built-in skills.',
  }),
  MCP_SERVER_URL: optionalUrl({
    group,
    schemes: http,
    description: 'MCP server that the chat uses. Default: that of this process, or http://127.0.0.1:8085/mcp.',
  }),
  MCP_SERVER_KEY: optionalText({
    group,
    secret: true,
    description: 'API key for MCP_SERVER_URL. Not needed on the same machine.',
  }),
  SCRIPT_MCP_URL: optionalUrl({
    group,
    schemes: http,
    description:
      'MCP server with Cadence tools (script_check, search_docs …). Default: the service `tools`, if it runs.',
  }),
  EVM_MCP_URL: optionalUrl({
    group,
    schemes: http,
    description: 'MCP server with EVM tools (evm_rpc, evm_call …). Default: the service `tools`, if it runs.',
  }),
  CHAT_TOOL_CONNECT_MS: integer({
    group,
    default: 3000,
    min: 100,
    max: 60_000,
    unit: 'ms',
    description: 'How long a turn waits for an unresponsive MCP server before it continues without its tools.',
  }),

  TOOLS_PORT: integer({
    group: tools,
    default: 8086,
    min: 0,
    max: 65_535,
    description: 'Port of the built-in tool servers (/script/mcp and /evm/mcp); 0 picks a free port and logs it.',
  }),
  TOOLS_HOST: text({
    group: tools,
    default: '127.0.0.1',
    description: 'Address that the tool servers bind. They require no key: use one that only the chat can reach.',
  }),
  EVM_RPC_URL: optionalUrl({
    group: tools,
    secret: true,
    schemes: http,
    description:
      'JSON-RPC URL of an EVM node for the EVM tools, such as https://mainnet.evm.nodes.onflow.org. If unset, EVM ' +
      'tools are unavailable.',
  }),

  PROXY_PORT: optionalInteger({
    group: proxy,
    min: 0,
    max: 65_535,
    description:
      'Port of the reverse proxy for the chat, the query service and the MCP server. Default: 80 if the service ' +
      '`proxy` is named on the command line; without it no proxy runs among all services.',
  }),
  PROXY_CHAT_URL: optionalUrl({
    group: proxy,
    schemes: ['http'],
    description: 'URL of the chat (/ and /api/chat). Default: this process, or http://127.0.0.1:3001.',
  }),
  PROXY_ASK_URL: optionalUrl({
    group: proxy,
    schemes: ['http'],
    description:
      'URL of the query service (other paths of /api/, /health, /docs, /openapi.json). Default: this process, or ' +
      'http://127.0.0.1:8084.',
  }),
  PROXY_MCP_URL: optionalUrl({
    group: proxy,
    schemes: ['http'],
    description: 'URL of the MCP server (/mcp). Default: this process, or http://127.0.0.1:8085.',
  }),
} satisfies Record<string, Setting<unknown>>
