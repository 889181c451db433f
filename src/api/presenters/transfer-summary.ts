import { z } from 'zod'
import { amountFormat, countFormat } from '../formats/formats.ts'

const direction = z
  .enum(['in', 'out', 'transfer'])
  .describe('As the account sees it that the list is asked for: in or out. Without an account: transfer.')
/** Flow accounts have 16 digits, EVM accounts 40. */
export const partyFormat = z
  .string()
  .regex(/^0x([0-9a-f]{16}|[0-9a-f]{40})$/)
  .describe('Flow account, 0x and 16 hex digits, or EVM account, 0x and 40.')
const counterparty = partyFormat
  .nullable()
  .describe('The other side; without an account who got it in the end. Null where there is none or more than one.')

const fungibleSummarySchema = z
  .strictObject({
    token: z.string().describe('A.<address>.<name>'),
    amount: amountFormat.describe(
      'In whole tokens: what came in or went out; without an account what changed hands in the end, or where all came back, ' +
        'the largest movement.',
    ),
    direction,
    counterparty,
    symbol: z.string().nullable(),
    name: z.string().nullable(),
    logo: z.string().nullable(),
    usd_price: amountFormat.nullable().describe('Latest price of one whole token; null where none is known.'),
  })
  .meta({ id: 'FungibleSummary' })

const nonFungibleSummarySchema = z
  .strictObject({
    collection: z
      .string()
      .nullable()
      .describe('A.<address>.<name>; null where items were destroyed whose collection no event tells.'),
    count: countFormat.describe('Items.'),
    direction,
    counterparty,
    name: z.string().nullable(),
    logo: z.string().nullable(),
    banner_image: z.string().nullable(),
  })
  .meta({ id: 'NonFungibleSummary' })

/** What moved in a transaction, in a few lines. Without fees and without what the bridge locks up and gives back. */
export const transferSummarySchema = z
  .strictObject({
    ft: z.array(fungibleSummarySchema),
    nft: z.array(nonFungibleSummarySchema),
  })
  .meta({ id: 'TransferSummary' })
export type TransferSummary = z.output<typeof transferSummarySchema>

type Direction = z.output<typeof direction>

/** Sums of the movements of a token in a transaction. */
export interface FungibleSummaryRow {
  readonly token: string
  readonly direction: Direction
  readonly amount: string
  readonly counterparty: string | null
}

/** Counts of the items of a collection that moved in a transaction. */
export interface NonFungibleSummaryRow {
  readonly token: string | null
  readonly direction: Direction
  readonly count: number
  readonly counterparty: string | null
}

/** What a token is called. All null where nobody has told yet. */
export interface TokenName {
  readonly name: string | null
  readonly symbol: string | null
  readonly logo: string | null
  readonly decimals: number | null
  /** USD for one whole token, the latest. */
  readonly price: string | null
}

/** What a collection is called. */
export interface CollectionName {
  readonly name: string | null
  readonly logo: string | null
  readonly banner: string | null
}

/** Names of what moved in the transactions of a page. */
export interface AssetNames {
  readonly tokens: ReadonlyMap<string, TokenName>
  readonly collections: ReadonlyMap<string, CollectionName>
}

export function presentTransferSummary(
  ft: readonly FungibleSummaryRow[],
  nft: readonly NonFungibleSummaryRow[],
  names: AssetNames,
): TransferSummary {
  return {
    ft: ft.map(({ token, amount, direction: way, counterparty: other }) => {
      const known = names.tokens.get(token)
      return {
        token,
        amount,
        direction: way,
        counterparty: other,
        symbol: known?.symbol ?? null,
        name: known?.name ?? null,
        logo: known?.logo ?? null,
        usd_price: known?.price ?? null,
      }
    }),
    nft: nft.map(({ token, count, direction: way, counterparty: other }) => {
      const known = token === null ? undefined : names.collections.get(token)
      return {
        collection: token,
        count,
        direction: way,
        counterparty: other,
        name: known?.name ?? null,
        logo: known?.logo ?? null,
        banner_image: known?.banner ?? null,
      }
    }),
  }
}
