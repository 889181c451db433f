import { ScriptFailedError } from '../../src/flow/chain-reader.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import type { PayloadFields } from '../../src/flow/payload-value.ts'
import type { SqlColumn } from '../worker.ts'
import { listOf, mapOf, nonEmptyTextOf, structOf, refreshPolicy, tokenParts } from './enrichment-worker.ts'
import type {
  QueryContext,
  EnrichmentWorker,
  Outcome,
  EnrichmentTable,
  ScriptName,
  TokenParts,
} from './enrichment-worker.ts'

interface TokenRow {
  readonly token: string
}

interface ResultColumn extends SqlColumn {
  readonly field: string
}

const text = (column: string, field = column): ResultColumn => ({ column, type: 'text', field })

const dayMs = 86_400_000

/** One script for a batch of contracts, then the bridge for those that exist. */
function tokenTable(options: {
  readonly table: string
  readonly catalogue: string
  readonly script: ScriptName
  readonly usualName: 'Vault' | 'NFT'
  readonly columns: readonly ResultColumn[]
  readonly answeredMs: number
}): EnrichmentTable<TokenRow> {
  const { table, catalogue, script, usualName, columns, answeredMs } = options
  return {
    table,
    key: [{ column: 'token', type: 'text' }],
    columns: [...columns, { column: 'evm_address', type: 'text' }, { column: 'socials', type: 'jsonb' }],
    batch: 20,
    refresh: refreshPolicy(answeredMs),
    scan: { text: `select token from ${catalogue} where token > coalesce($2, '') order by token limit $1` },
    newest: `select token from ${catalogue} order by first_height desc, token limit $1`,
    query: async (rows, context) => {
      const parts = rows.map(({ token }) => tokenParts(token, usualName))
      const known = parts.filter((one) => one !== undefined)
      const results = listOf(
        await context.reader.executeScript(
          context.script(script),
          [
            cadence.array(known.map(({ address }) => cadence.address(address))),
            cadence.array(known.map(({ name }) => cadence.string(name))),
            cadence.array(known.map(({ resourceType }) => cadence.string(resourceType))),
          ],
          { signal: context.signal },
        ),
        known.length,
      )
      const evmAddresses = await evmAddressesOf(known, context)
      return parts.map((part): Outcome => {
        if (part === undefined) return { kind: 'none', code: 'no-contract', message: 'The token has no contract' }
        const at = known.indexOf(part)
        const fields = structOf(results[at])
        if (fields === undefined)
          return { kind: 'none', code: 'no-views', message: 'The contract declares no metadata' }
        return { kind: 'answered', values: { ...valuesOf(fields, columns), evm_address: evmAddresses[at] ?? null } }
      })
    },
  }
}

function valuesOf(fields: PayloadFields, columns: readonly ResultColumn[]): Record<string, unknown> {
  const values = Object.fromEntries(columns.map(({ column, field }) => [column, nonEmptyTextOf(fields, field)]))
  return { ...values, socials: mapOf(fields['socials']) }
}

/** The script fails on networks without the bridge. */
async function evmAddressesOf(
  tokens: readonly TokenParts[],
  { reader, script, signal }: QueryContext,
): Promise<(string | null)[]> {
  try {
    const types = cadence.array(tokens.map(({ resourceType }) => cadence.string(resourceType)))
    const addresses = listOf(await reader.executeScript(script('evm_addresses'), [types], { signal }), tokens.length)
    return addresses.map((address) =>
      typeof address === 'string' ? `0x${address.replace(/^0x/, '').toLowerCase()}` : null,
    )
  } catch (error) {
    if (error instanceof ScriptFailedError) return tokens.map(() => null)
    throw error
  }
}

export const tokenMetadataWorker: EnrichmentWorker = {
  name: 'token_metadata_worker',
  description: 'Names, symbols, images and paths of tokens and collections',
  tables: [
    tokenTable({
      table: 'app.ft_token_metadata',
      catalogue: 'app.ft_tokens',
      script: 'ft_tokens',
      usualName: 'Vault',
      answeredMs: dayMs,
      columns: [
        text('name'),
        text('symbol'),
        text('description'),
        text('external_url', 'externalUrl'),
        text('logo'),
        text('vault_path', 'vaultPath'),
        text('receiver_path', 'receiverPath'),
        text('balance_path', 'balancePath'),
        { column: 'total_supply', type: 'numeric', field: 'totalSupply' },
      ],
    }),
    tokenTable({
      table: 'app.nft_collection_metadata',
      catalogue: 'app.nft_collections',
      script: 'nft_collections',
      usualName: 'NFT',
      answeredMs: 7 * dayMs,
      columns: [
        text('name'),
        text('description'),
        text('external_url', 'externalUrl'),
        text('square_image', 'squareImage'),
        text('banner_image', 'bannerImage'),
        text('storage_path', 'storagePath'),
        text('public_path', 'publicPath'),
      ],
    }),
  ],
}
