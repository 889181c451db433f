import { callInput, textResult, uintResult } from '../../src/flow/evm/contract-results.ts'
import type { CallResult } from '../../src/flow/evm/contract-results.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import { listOf, refreshPolicy } from './enrichment-worker.ts'
import type { EnrichmentTable, EnrichmentWorker, Outcome, QueryContext } from './enrichment-worker.ts'

const dayMs = 86_400_000

interface Call {
  /** 40 hex digits. */
  readonly contract: string
  readonly input: string
}

interface CallLimits {
  /** Gas of a call, including the 21,000 of each transaction. */
  readonly gas: number
  readonly bytes: number
}

async function callContracts(
  calls: readonly Call[],
  limits: CallLimits,
  { reader, script, signal }: QueryContext,
): Promise<CallResult[]> {
  const results = await reader.executeScript(
    script('evm_calls'),
    [
      cadence.array(calls.map(({ contract }) => cadence.string(contract))),
      cadence.array(calls.map(({ input }) => cadence.string(input))),
      cadence.uint64(limits.gas),
      cadence.int(limits.bytes),
    ],
    { signal },
  )
  return listOf(results, calls.length).map((result) => (typeof result === 'string' ? result : null))
}

/** Source: ERC-165, ERC-721, ERC-1155. */
const interfaces = { erc165: 0x01ffc9a7n, none: 0xffffffffn, erc721: 0x80ac58cdn, erc1155: 0xd9b67a26n } as const
const supports = (id: bigint): string => callInput('supportsInterface(bytes4)', id << 224n)

const tokenCalls = [
  ...['name()', 'symbol()', 'decimals()', 'totalSupply()'].map((signature) => callInput(signature)),
  ...Object.values(interfaces).map(supports),
]
const tokenLimits: CallLimits = { gas: 150_000, bytes: 1024 }
const maxNameLength = 200
/** The digits of the largest amount. */
const maxDecimals = 77

function tokenOutcome(results: readonly CallResult[]): Outcome {
  const [name, symbol, decimals, totalSupply, ...support] = results
  const reported = uintResult(decimals)
  const values = {
    name: textResult(name, maxNameLength),
    symbol: textResult(symbol, maxNameLength),
    decimals: reported !== null && reported <= maxDecimals ? Number(reported) : null,
    total_supply: uintResult(totalSupply)?.toString() ?? null,
  }
  const standard = standardOf(support, values.decimals !== null && values.total_supply !== null)
  if (standard === null && Object.values(values).every((value) => value === null)) {
    return { kind: 'none', code: 'no-metadata', message: 'The contract returns no token metadata' }
  }
  return { kind: 'answered', values: { ...values, standard } }
}

/** Contracts with ERC-165 support its own id and not `ffffffff`. ERC-20 tokens are known by their behaviour. */
function standardOf(support: readonly CallResult[], isLikeErc20: boolean): 20 | 721 | 1155 | null {
  const [hasErc165, hasNone, hasErc721, hasErc1155] = support.map((result) => uintResult(result) === 1n)
  if (hasErc165 && !hasNone && hasErc721) return 721
  if (hasErc165 && !hasNone && hasErc1155) return 1155
  return isLikeErc20 ? 20 : null
}

const tokens: EnrichmentTable<{ readonly token: string }> = {
  table: 'app.evm_token_metadata',
  key: [{ column: 'token', type: 'text' }],
  columns: [
    { column: 'name', type: 'text' },
    { column: 'symbol', type: 'text' },
    { column: 'decimals', type: 'smallint' },
    { column: 'total_supply', type: 'numeric' },
    { column: 'standard', type: 'smallint' },
  ],
  batch: 10,
  refresh: refreshPolicy(dayMs),
  scan: { text: `select token from app.evm_tokens where token > coalesce($2, '') order by token limit $1` },
  newest: `
    select token from (
      select token from app.evm_token_transfers
      order by block_height desc, tx_index desc, event_index desc, log_index desc, batch_index desc limit $1
    ) moved`,
  query: async (rows, context) => {
    const calls = rows.flatMap(({ token }) => tokenCalls.map((input) => ({ contract: token, input })))
    const results = await callContracts(calls, tokenLimits, context)
    return rows.map((_, i) => tokenOutcome(results.slice(i * tokenCalls.length, (i + 1) * tokenCalls.length)))
  },
}

interface ItemRow {
  readonly token: string
  /** 721 or 1155. */
  readonly standard: number
  readonly token_id: string
}

/** Some contracts draw pictures. */
const itemLimits: CallLimits = { gas: 2_000_000, bytes: 8192 }

function itemOutcome({ standard, token_id: id }: ItemRow, result: CallResult | undefined): Outcome {
  const template = textResult(result, itemLimits.bytes)
  if (template === null)
    return { kind: 'none', code: 'no-token-uri', message: 'The contract returns no URI for the item' }
  // Source: ERC-1155, "Metadata".
  const hex = BigInt(id).toString(16).padStart(64, '0')
  const uri = standard === 1155 ? template.replaceAll('{id}', hex) : template
  if (Buffer.byteLength(uri) > itemLimits.bytes) {
    const message = `The URI of the item has more than ${itemLimits.bytes} bytes`
    return { kind: 'none', code: 'long-token-uri', message }
  }
  return { kind: 'answered', values: { token_uri: uri } }
}

const items: EnrichmentTable<ItemRow> = {
  table: 'app.evm_item_metadata',
  key: [
    { column: 'token', type: 'text' },
    { column: 'standard', type: 'smallint' },
    { column: 'token_id', type: 'numeric' },
  ],
  columns: [{ column: 'token_uri', type: 'text' }],
  batch: 25,
  refresh: refreshPolicy(30 * dayMs),
  scan: {
    text: `
      select token, standard, token_id from app.evm_token_items
      where (token, standard, token_id) > (coalesce($2, ''), coalesce($3::smallint, 0), coalesce($4::numeric, -1))
      order by token, standard, token_id limit $1`,
  },
  newest: `
    select token, standard, token_id from (
      select token, standard, token_id from app.evm_token_transfers
      order by block_height desc, tx_index desc, event_index desc, log_index desc, batch_index desc limit $1
    ) moved where token_id is not null`,
  query: async (rows, context) => {
    const calls = rows.map(({ token, standard, token_id: id }) => ({
      contract: token,
      input: callInput(standard === 721 ? 'tokenURI(uint256)' : 'uri(uint256)', BigInt(id)),
    }))
    const results = await callContracts(calls, itemLimits, context)
    return rows.map((row, i) => itemOutcome(row, results[i]))
  },
}

export const evmMetadataWorker: EnrichmentWorker = {
  name: 'evm_metadata_worker',
  description: 'Names, decimals, supplies and standards of EVM tokens, and URIs of their items',
  tables: [tokens, items],
}
