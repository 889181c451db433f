/**
 * What models are told of the tools of MCP servers. The words of a server itself are told only where it is one of ours: whoever runs another one could write
 * there what the model should do. `run_…` and the like of ours have longer ones, which are taken where they come.
 */
export const toolWords: Readonly<Record<string, string>> = {
  run_indexer_sql: 'Runs one read-only SELECT on the indexer database of Flow and gives its rows.',
  run_evm_sql: 'Runs one read-only SELECT on the EVM explorer database of Flow and gives its rows.',
  run_chain_script: 'Runs a read-only Cadence script on an access node, for what is true at this moment.',
  script_check:
    'Checks Cadence source and tells its errors with their places. Use it before showing or running Cadence that you wrote.',
  search_docs: 'Searches documentation by words and gives the pages that fit, with their ids.',
  get_doc: 'Reads one page of the documentation by its id.',
  browse_docs: 'Lists the pages of the documentation.',
  script_hover: 'Tells what the name at a place of Cadence source is.',
  script_definition: 'Finds where the name at a place of Cadence source is declared.',
  script_symbols: 'Lists the declarations of Cadence source.',
  evm_rpc: 'Calls a JSON-RPC method that reads Flow EVM, such as eth_blockNumber or eth_getTransactionReceipt.',
  evm_getBalance: 'The balance of an address on Flow EVM, in FLOW.',
  evm_call: 'Calls a function of a contract on Flow EVM, for reading.',
  evm_getLogs: 'Logs of contracts on Flow EVM, by address, topics and a range of blocks.',
}
