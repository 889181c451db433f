import type { DecodedTransaction } from '../decoded-block.ts'
import type { PayloadFields } from '../payload-value.ts'
import type { TokenMoves } from './token-moves.ts'

/** Type and fields; undefined fields are undecodable. */
export type TestEvent = readonly [type: string, fields: PayloadFields | undefined]

export const flow = 'A.1654653399040a61.FlowToken'
export const usd = 'A.b19436aae4d94622.FiatToken'
export const topShot = 'A.0b2a3299cc857e29.TopShot'
export const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0'] as const
export const evmAccount = `0x${'e'.repeat(40)}`

export function transactionOf(events: readonly TestEvent[], script = ''): DecodedTransaction {
  return {
    index: 0,
    id: Buffer.alloc(32),
    isSystem: false,
    payer: alice,
    proposer: alice,
    authorizers: [alice],
    scriptHash: Buffer.alloc(32),
    script,
    statusCode: 0,
    isEvm: false,
    gasUsed: 0n,
    events: events.map(([type, fields], index) => ({ type, index, fields })),
  }
}

/** One line per transfer. */
export function brief({ fungible, nonFungible }: TokenMoves): string[] {
  return [
    ...fungible.map(
      ({ token, from = '-', to = '-', amount, type }) => `${token} ${from} ${to} ${Number(amount)} ${type}`,
    ),
    ...nonFungible.map(({ token, id, from = '-', to = '-', type }) => `${token} #${id} ${from} ${to} ${type}`),
  ]
}

/** Default: from vault 1 into vault 2. */
export function withdrawn(vaultType: string, fields: PayloadFields): TestEvent {
  return [
    'A.f233dcee88fe0abe.FungibleToken.Withdrawn',
    { type: vaultType, fromUUID: '1', withdrawnUUID: '2', balanceAfter: '0.00000000', ...fields },
  ]
}

/** Default: from vault 2 into vault 3. */
export function deposited(vaultType: string, fields: PayloadFields): TestEvent {
  return [
    'A.f233dcee88fe0abe.FungibleToken.Deposited',
    { type: vaultType, toUUID: '3', depositedUUID: '2', balanceAfter: '9.00000000', ...fields },
  ]
}

/** Default: item 7 of TopShot. */
export function itemWithdrawn(from: string | null, fields: PayloadFields = {}): TestEvent {
  return [
    'A.1d7e57aa55817448.NonFungibleToken.Withdrawn',
    { type: `${topShot}.NFT`, id: '7', uuid: '9', from, providerUUID: '1', ...fields },
  ]
}

/** Default: item 7 of TopShot. */
export function itemDeposited(to: string | null, fields: PayloadFields = {}): TestEvent {
  return [
    'A.1d7e57aa55817448.NonFungibleToken.Deposited',
    { type: `${topShot}.NFT`, id: '7', uuid: '9', to, collectionUUID: '1', ...fields },
  ]
}
