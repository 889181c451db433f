import { collections } from '../world/collections.ts'
import { pebble, usdc } from '../world/tokens.ts'
import { evmContracts } from './evm-world.ts'

const [herons] = collections

/** The contracts in the EVM, 40 hex digits, that the bridge has made for types of tokens and items. */
export const bridgedContracts: ReadonlyMap<string, string> = new Map([
  [usdc.vaultType, evmContracts.stableCoin.toString('hex')],
  [pebble.vaultType, evmContracts.wrappedCoin.toString('hex')],
  ...(herons === undefined ? [] : [[herons.itemType, evmContracts.pictures.toString('hex')] as const]),
])
