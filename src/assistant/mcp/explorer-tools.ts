import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import {
  advertised,
  failedWith,
  failureFields,
  isPresent,
  noFailure,
  readingClosedWorld,
  registerTool,
  toolResult,
} from '../../platform/mcp/tool.ts'
import type { CallContext } from '../../platform/mcp/tool.ts'
import type { Explorer, ExplorerCall } from './explorer.ts'

export const transactionToolName = 'get_transaction'
export const accountToolName = 'get_account'

const maxTransfers = 50
const maxEvents = 20
const maxExecutions = 10
const maxKeys = 50
const maxContracts = 100
const maxHoldings = 50
const maxScriptCharacters = 10_000
const maxValueCharacters = 1500
const maxErrorCharacters = 4000
const maxNameCharacters = 60

const amount = z.string()
const party = z.string().nullable()

const transferFields = {
  text: z.string().describe('The transfer in words.'),
  type: z.string(),
  token: z.string().nullable().describe('A.<address>.<contract>, which identifies the token.'),
  amount: amount.nullable().describe('Exact, in tokens; null for an NFT.'),
  nft_id: z.string().nullable(),
  from: party,
  to: party,
  usd_value: amount.nullable().describe('At the time of the transaction.'),
}
const executionFields = {
  hash: z.string(),
  status: z.string(),
  from: party.describe('No 0x.'),
  to: party,
  value: amount.nullable().describe('In attoflow, 10^-18 FLOW.'),
  gas_used: amount,
  error_message: z.string().nullable(),
}
const truncated = z.array(z.string()).describe('Fields that were shortened. Read the rest with run_indexer_sql.')

const transactionOutput = advertised(
  z.object({
    transaction: z
      .object({
        id: z.string(),
        block_height: z.int(),
        transaction_index: z.int(),
        timestamp: z.string(),
        status: z.string().describe('SUCCESS, FAILURE or UNKNOWN.'),
        error_message: z.string().describe('Empty on success.'),
        payer: z.string(),
        proposer: z.string(),
        authorizers: z.array(z.string()),
        fee: amount.nullable().describe('In FLOW.'),
        gas_used: z.int().nullable(),
        tags: z.array(z.string()),
        contract_imports: z.array(z.string()),
        transfers: z.array(z.object(transferFields)).describe(`At most ${maxTransfers}, without the fee.`),
        evm_executions: z.array(z.object(executionFields)).describe(`At most ${maxExecutions}.`),
        events: z
          .array(z.object({ event_index: z.int(), type: z.string(), payload: z.string().describe('JSON.') }))
          .describe(`The first ${maxEvents}.`),
        event_count: z.int(),
        script: z.string().nullable(),
        arguments: z.string().describe('JSON-CDC values.'),
        truncated,
      })
      .nullable(),
    ...failureFields,
  }),
)
const accountOutput = advertised(
  z.object({
    account: z
      .object({
        address: z.string(),
        evm_address: z.string().nullable().describe('Cadence-owned account (COA); null if none is known.'),
        labels: z.array(z.string()),
        flow_balance: amount.nullable().describe('FLOW of the main vault with source chain, else of all vaults.'),
        available_balance: amount.nullable().describe('FLOW that is not reserved for storage.'),
        tokens: z
          .array(
            z.object({
              token: z.string(),
              symbol: z.string().nullable(),
              name: z.string(),
              balance: amount,
              usd_value: amount.nullable(),
            }),
          )
          .describe(`Fungible tokens by token id, at most ${maxHoldings}.`),
        nft_collections: z
          .array(z.object({ collection: z.string(), name: z.string(), items: z.int() }))
          .describe(`At most ${maxHoldings}.`),
        keys: z.array(
          z.object({
            index: z.int(),
            public_key: z.string().nullable(),
            signature_algorithm: z.string().nullable(),
            hash_algorithm: z.string().nullable(),
            weight: z.int().nullable().describe('A transaction needs 1000 in total.'),
            is_revoked: z.boolean(),
          }),
        ),
        key_count: z.int(),
        contracts: z.array(z.string()).describe('A.<address>.<contract>'),
        contract_count: z.int(),
        storage_used: amount.nullable().describe('Bytes.'),
        storage_capacity: amount.nullable().describe('Bytes.'),
        transaction_count: z.int(),
        created_at: z.string().nullable(),
        created_by_transaction: z.string().nullable(),
        first_seen_at: z.string().nullable(),
        last_seen_at: z.string().nullable(),
        source: z.string().describe('Source of balance, keys, contracts and storage: chain or index.'),
        as_of_height: z.int().nullable(),
        truncated,
      })
      .nullable(),
    ...failureFields,
  }),
)

const transactionSchema = z.strictObject({
  id: z
    .string('must be a string')
    .trim()
    .regex(/^(0x)?[0-9a-fA-F]{64}$/, 'must be 64 hex digits')
    .describe('Transaction id, or hash of an EVM transaction; 0x is optional.'),
  block_height: z
    .int('must be a block height')
    .nonnegative('must be a block height')
    .nullish()
    .describe('Selects one of the system transactions, whose ids repeat in every block.'),
})
const accountSchema = z.strictObject({
  address: z
    .string('must be a string')
    .trim()
    .regex(/^(0x)?([0-9a-fA-F]{16}|[0-9a-fA-F]{40})$/, 'must be 16 hex digits, or 40 for an EVM address')
    .describe('Flow address, or EVM address of a Cadence-owned account; 0x is optional.'),
})

export function registerExplorerTools(server: McpServer, explorer: Explorer, context: CallContext): void {
  registerTool(server, context, {
    name: transactionToolName,
    title: 'Get a transaction',
    description:
      'Reads one transaction: status and error, payer, fee, transfers in words and as exact amounts, EVM executions, ' +
      'first events, script and arguments.',
    schema: transactionSchema,
    output: transactionOutput,
    annotations: readingClosedWorld,
    run: async ({ id, block_height: height }, signal) =>
      toolResult({
        transaction: await readTransaction(explorer, id, height ?? undefined, { signal, client: context.client }),
        ...noFailure,
      }),
    failed: failedWith({ transaction: null }),
  })
  registerTool(server, context, {
    name: accountToolName,
    title: 'Get an account',
    description:
      'Reads one account: FLOW balance, fungible tokens, NFT collections, keys, contracts, storage, labels, creation ' +
      'and last activity. Balances are exact.',
    schema: accountSchema,
    output: accountOutput,
    annotations: readingClosedWorld,
    run: async ({ address }, signal) =>
      toolResult({ account: await readAccount(explorer, address, { signal, client: context.client }), ...noFailure }),
    failed: failedWith({ account: null }),
  })
}

const moveFields = z.object({
  transfer_type: z.string(),
  from_address: party,
  to_address: party,
})
const transactionAnswer = z.object({
  data: z.tuple([
    z.object({
      id: z.string(),
      block_height: z.number(),
      transaction_index: z.number(),
      timestamp: z.string(),
      execution_status: z.string(),
      error_message: z.string(),
      payer: z.string(),
      proposer: z.string(),
      authorizers: z.array(z.string()),
      fee: z.string().nullable(),
      gas_used: z.number().nullable(),
      tags: z.array(z.string()),
      contract_imports: z.array(z.string()),
      event_count: z.number(),
      ft_transfers: z.array(
        moveFields.extend({
          token: z.string(),
          token_symbol: z.string().nullable(),
          amount: z.string(),
          usd_value: z.string().nullable(),
        }),
      ),
      nft_transfers: z.array(
        moveFields.extend({
          token: z.string().nullable(),
          token_id: z.string(),
          collection_name: z.string().nullable(),
        }),
      ),
      evm_executions: z.array(z.object(executionFields)),
      events: z.array(z.object({ event_index: z.number(), type: z.string(), payload: z.unknown() })),
      script: z.string().nullable(),
      arguments: z.unknown(),
    }),
  ]),
})

async function readTransaction(explorer: Explorer, id: string, height: number | undefined, call: ExplorerCall) {
  const query = height === undefined ? '' : `?height=${height}`
  const { data } = await explorer
    .read(`/flow/transaction/${id}${query}`, transactionAnswer, call)
    .catch((error: unknown) => {
      throw withRemedy(error, 'Check the id; only blocks in raw.blocks are indexed.')
    })
  const [found] = data
  const transfers = [...found.ft_transfers.map(presentTokens), ...found.nft_transfers.map(presentItem)]
  const { execution_status: status, error_message: error, ft_transfers: _, nft_transfers: __, ...same } = found
  const short = new Shortened()
  return {
    ...same,
    status,
    error_message: short.text('error_message', error, maxErrorCharacters),
    authorizers: short.list('authorizers', found.authorizers, maxKeys),
    contract_imports: short.list('contract_imports', found.contract_imports, maxContracts),
    transfers: short.list('transfers', transfers, maxTransfers),
    evm_executions: short.list('evm_executions', found.evm_executions, maxExecutions).map((execution) => ({
      ...execution,
      error_message:
        execution.error_message === null
          ? null
          : short.text('evm_executions', execution.error_message, maxValueCharacters),
    })),
    events: short.list('events', found.events, maxEvents).map(({ event_index, type, payload }) => ({
      event_index,
      type,
      payload: short.text('events', JSON.stringify(payload ?? null), maxValueCharacters),
    })),
    script: found.script === null ? null : short.text('script', found.script, maxScriptCharacters),
    arguments: short.text('arguments', JSON.stringify(found.arguments ?? []), maxErrorCharacters),
    truncated: short.names,
  }
}

type Answer = z.output<typeof transactionAnswer>['data'][0]
type Transfer = z.output<z.ZodObject<typeof transferFields>>

function presentTokens(move: Answer['ft_transfers'][number]): Transfer {
  const { token, token_symbol: symbol, amount, usd_value: value } = move
  const worth = value === null ? '' : ` (${value} US dollars)`
  return {
    text: `${amount} ${nameOf(symbol, token)} ${inWords(move)}${worth}`,
    token,
    amount,
    nft_id: null,
    usd_value: value,
    ...partiesOf(move),
  }
}

function presentItem(move: Answer['nft_transfers'][number]): Transfer {
  const { token, token_id: id, collection_name: name } = move
  return {
    text: `${nameOf(name, token ?? 'NFT')} #${id} ${inWords(move)}`,
    token,
    amount: null,
    nft_id: id,
    usd_value: null,
    ...partiesOf(move),
  }
}

function partiesOf({ transfer_type: type, from_address: from, to_address: to }: z.output<typeof moveFields>) {
  return { type, from, to }
}

const participles: Readonly<Record<string, string>> = {
  transfer: 'sent',
  mint: 'minted',
  burn: 'burned',
  bridge: 'bridged',
  escrow: 'put in escrow',
  stake: 'staked',
  unstake: 'unstaked',
  reward: 'paid as reward',
  deposit: 'deposited',
  withdrawal: 'withdrawn',
}

function inWords({ transfer_type: type, from_address: from, to_address: to }: z.output<typeof moveFields>): string {
  return [participles[type] ?? type, ...(from === null ? [] : ['from', from]), ...(to === null ? [] : ['to', to])].join(
    ' ',
  )
}

/** Anyone can publish any name. */
function nameOf(published: string | null, token: string): string {
  const plain = published?.replaceAll(/\s+/g, ' ').trim().slice(0, maxNameCharacters) ?? ''
  return plain === '' ? (token.split('.').at(-1) ?? token) : plain
}

const accountAnswer = z.object({
  data: z.tuple([
    z.object({
      address: z.string(),
      balance: z.string().nullable(),
      available_balance: z.string().nullable(),
      contracts: z.array(z.string()),
      contract_count: z.number(),
      keys: z.array(
        z.object({
          index: z.number(),
          key: z.string().nullable(),
          signatureAlgorithm: z.string().nullable(),
          hashAlgorithm: z.string().nullable(),
          weight: z.number().nullable(),
          revoked: z.boolean(),
        }),
      ),
      key_count: z.number(),
      labels: z.array(z.object({ label: z.string() })),
      storage_used: z.string().nullable(),
      storage_capacity: z.string().nullable(),
      tx_count: z.number(),
      created_at: z.string().nullable(),
      created_by_transaction: z.string().nullable(),
      first_seen_at: z.string().nullable(),
      last_seen_at: z.string().nullable(),
      source: z.string(),
      as_of_height: z.number().nullable(),
    }),
  ]),
})
const vaultsAnswer = z.object({
  data: z.array(
    z.object({
      token: z.string(),
      symbol: z.string().nullable(),
      name: z.string(),
      balance: z.string(),
      usd_value: z.string().nullable(),
    }),
  ),
  has_more: z.boolean(),
})
const collectionsAnswer = z.object({
  data: z.array(z.object({ id: z.string(), name: z.string(), number_of_tokens: z.number() })),
  has_more: z.boolean(),
})
const coasAnswer = z.object({ data: z.array(z.object({ coa_address: z.string(), flow_address: party })) })

async function readAccount(explorer: Explorer, given: string, call: ExplorerCall) {
  const address = await flowAddressOf(explorer, `0x${given.replace(/^0x/, '').toLowerCase()}`, call)
  const path = `/flow/account/${address}`
  const [
    {
      data: [found],
    },
    vaults,
    collections,
    coas,
  ] = await Promise.all([
    explorer.read(path, accountAnswer, call).catch((error: unknown) => {
      throw withRemedy(error, 'Check the address and that it is of this network.')
    }),
    explorer.read(`${path}/ft?limit=${maxHoldings}`, vaultsAnswer, call),
    explorer.read(`${path}/nft?limit=${maxHoldings}`, collectionsAnswer, call),
    readCoas(explorer, address, call),
  ])
  const short = new Shortened()
  if (vaults.has_more) short.note('tokens')
  if (collections.has_more) short.note('nft_collections')
  const { balance, tx_count: count, labels, keys, contracts, ...same } = found
  return {
    ...same,
    evm_address: coas[0]?.coa_address ?? null,
    labels: short.list('labels', labels, maxHoldings).map(({ label }) => label),
    flow_balance: balance,
    tokens: vaults.data.map(({ token, name, ...rest }) => ({
      ...rest,
      token: token.replace(/\.Vault$/, ''),
      name: name.slice(0, maxNameCharacters),
    })),
    nft_collections: collections.data.map(({ id, name, number_of_tokens: items }) => ({
      collection: id,
      name: name.slice(0, maxNameCharacters),
      items,
    })),
    keys: short.list('keys', keys, maxKeys).map(({ index, key, weight, revoked, ...algorithms }) => ({
      index,
      public_key: key,
      signature_algorithm: algorithms.signatureAlgorithm,
      hash_algorithm: algorithms.hashAlgorithm,
      weight,
      is_revoked: revoked,
    })),
    contracts: short.list('contracts', contracts, maxContracts).map((name) => `A.${address.slice(2)}.${name}`),
    transaction_count: count,
    truncated: short.names,
  }
}

async function readCoas(explorer: Explorer, address: string, call: ExplorerCall) {
  try {
    return (await explorer.read(`/flow/coa/${address}?limit=1`, coasAnswer, call)).data
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return []
    throw error
  }
}

async function flowAddressOf(explorer: Explorer, address: string, call: ExplorerCall): Promise<string> {
  if (address.length === 18) return address
  const owner = (await readCoas(explorer, address, call))[0]?.flow_address
  if (isPresent(owner)) return owner
  throw new ApiError(
    404,
    'unknown-coa',
    `No Flow account is known to own the EVM address ${address}. Look for it in app.evm_transactions with ` +
      'run_indexer_sql.',
    { field: 'address' },
  )
}

function withRemedy(error: unknown, remedy: string): unknown {
  if (!(error instanceof ApiError) || error.status !== 404) return error
  return new ApiError(404, error.code, `${error.message} ${remedy}`, { cause: error })
}

/** Notes the fields that it shortened. */
class Shortened {
  readonly #names = new Set<string>()

  get names(): string[] {
    return [...this.#names]
  }

  note(name: string): void {
    this.#names.add(name)
  }

  list<Item>(name: string, items: readonly Item[], max: number): readonly Item[] {
    if (items.length > max) this.note(name)
    return items.slice(0, max)
  }

  text(name: string, text: string, max: number): string {
    if (text.length <= max) return text
    this.note(name)
    return `${text.slice(0, max)}…`
  }
}
