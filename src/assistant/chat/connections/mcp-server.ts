import { alertToolNames } from '../../mcp/alert-tools.ts'

export interface McpServer {
  readonly name: string
  /** Name for users: "the server for Cadence". */
  readonly title: string
  /** Read at each turn, since a port may become known later. */
  readonly url: () => string | undefined
  readonly key: string | undefined
  readonly tools: readonly string[]
  readonly texts: readonly string[]
  /** The model gets the tool schemas of other servers without their texts. */
  readonly isOurs: boolean
  /** Configured by the operator, so its absence is reported. */
  readonly isConfigured: boolean
}

export interface McpServerAddresses {
  readonly flowfarm: () => string | undefined
  readonly flowfarmKey: string | undefined
  readonly script: string | undefined
  readonly evm: string | undefined
  readonly tools: () => string | undefined
}

export const textUris = {
  indexer: 'schema://indexer-ddl',
  evm: 'schema://evm-explorer-ddl',
  evmNotes: 'schema://docs',
  scripts: 'schema://script-reference',
} as const

export function mcpServers({ flowfarm, flowfarmKey, script, evm, tools }: McpServerAddresses): readonly McpServer[] {
  const below = (path: string) => (): string | undefined => {
    const base = tools()
    return base === undefined ? undefined : new URL(path, base).href
  }
  return [
    {
      name: 'flowfarm',
      title: 'the server for SQL and Cadence scripts',
      url: flowfarm,
      key: flowfarmKey,
      isOurs: true,
      isConfigured: true,
      tools: ['run_indexer_sql', 'run_evm_sql', 'run_chain_script', ...Object.values(alertToolNames)],
      texts: Object.values(textUris),
    },
    {
      name: 'script',
      title: 'the server for Cadence and its documentation',
      url: script === undefined ? below('/script/mcp') : () => script,
      key: undefined,
      isOurs: script === undefined,
      isConfigured: script !== undefined,
      texts: [],
      tools: [
        'script_check',
        'search_docs',
        'get_doc',
        'browse_docs',
        'script_hover',
        'script_definition',
        'script_symbols',
      ],
    },
    {
      name: 'evm',
      title: 'the server for the EVM',
      url: evm === undefined ? below('/evm/mcp') : () => evm,
      key: undefined,
      isOurs: evm === undefined,
      isConfigured: evm !== undefined,
      texts: [],
      tools: ['evm_rpc', 'evm_getBalance', 'evm_call', 'evm_getLogs'],
    },
  ]
}
