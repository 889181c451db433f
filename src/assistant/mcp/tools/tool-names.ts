import type { QueryTarget } from '../../query/query-service.ts'

/** What clients call the tools; those of a target are there only where that can be asked. */

export const sqlToolNames = { indexer: 'run_indexer_sql', evm: 'run_evm_sql' } as const satisfies Record<
  QueryTarget,
  string
>
export const askToolNames = { indexer: 'ask_indexer', evm: 'ask_evm' } as const satisfies Record<QueryTarget, string>
export const generateToolNames = {
  indexer: 'generate_indexer_sql',
  evm: 'generate_evm_sql',
} as const satisfies Record<QueryTarget, string>
export const scriptToolName = 'run_chain_script'

/** The databases in words. */
export const databaseNames = {
  indexer: 'Flow indexer database',
  evm: 'Flow EVM explorer database',
} as const satisfies Record<QueryTarget, string>
