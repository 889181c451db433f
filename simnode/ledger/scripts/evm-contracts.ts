import { abiWord, callInput } from '../evm/evm-encoding.ts'
import { coas, evmContracts, evmUsers, genesisHoldings, itemKinds, pictureCount } from '../evm/evm-world.ts'
import type { EvmState } from '../evm/evm-state.ts'
import { pebble, usdc } from '../world/tokens.ts'
import { collections, itemName } from '../world/collections.ts'
import { itemPicture } from './display-metadata.ts'

/** Undefined: reverts. `args` are 32-byte words. */
type Method = (state: EvmState, args: readonly bigint[]) => Buffer | undefined

function methods(list: Readonly<Record<string, Method>>): ReadonlyMap<string, Method> {
  return new Map(
    Object.entries(list).map(([signature, method]) => [callInput(signature).toString('hex'), method] as const),
  )
}

function abiText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 32) * 32)
  bytes.copy(padded)
  return Buffer.concat([abiWord(32), abiWord(bytes.length), padded])
}

const text = (value: string): Method => {
  return () => abiText(value)
}
const addressOf = (word: bigint | undefined): string => (word ?? 0n).toString(16).padStart(40, '0')

function supporting(...ids: readonly number[]): Method {
  const supported = new Set([0x01ffc9a7, ...ids].map((id) => BigInt(id) << 224n))
  return (_, [id = 0n]) => abiWord(supported.has(id) ? 1 : 0)
}

const erc20Supply = BigInt(evmUsers.length + coas.length) * genesisHoldings.erc20
export const erc20Decimals = 6

function erc20(contract: string, name: string, symbol: string): ReadonlyMap<string, Method> {
  return methods({
    'name()': text(name),
    'symbol()': text(symbol),
    'decimals()': () => abiWord(erc20Decimals),
    'totalSupply()': () => abiWord(erc20Supply),
    'balanceOf(address)': (state, [holder]) => abiWord(state.tokens(contract, addressOf(holder))),
    'allowance(address,address)': () => abiWord(0),
  })
}

const [herons] = collections

function pictureUri(id: number): string {
  if (herons === undefined) return ''
  const metadata = { name: itemName(herons, id), image: itemPicture(herons, id) }
  return `data:application/json;base64,${Buffer.from(JSON.stringify(metadata)).toString('base64')}`
}

const pictures = evmContracts.pictures.toString('hex')
const isPicture = (id: bigint): boolean => id >= 1n && id <= BigInt(pictureCount)

const erc721 = methods({
  'name()': text('Herons'),
  'symbol()': text('HERON'),
  'totalSupply()': () => abiWord(pictureCount),
  'supportsInterface(bytes4)': supporting(0x80ac58cd, 0x5b5e139f),
  'tokenURI(uint256)': (_, [id = 0n]) => (isPicture(id) ? abiText(pictureUri(Number(id))) : undefined),
  'ownerOf(uint256)': (state, [id = 0n]) =>
    isPicture(id) ? abiWord(Buffer.from(state.owner(pictures, Number(id)), 'hex')) : undefined,
  'getApproved(uint256)': (_, [id = 0n]) => (isPicture(id) ? abiWord(0) : undefined),
  'isApprovedForAll(address,address)': () => abiWord(0),
  'balanceOf(address)': (state, [holder]) => {
    const address = addressOf(holder)
    const ids = Array.from({ length: pictureCount }, (_, index) => index + 1)
    return abiWord(ids.filter((id) => state.owner(pictures, id) === address).length)
  },
})

const items = evmContracts.items.toString('hex')

const erc1155 = methods({
  'name()': text('Harbour Finds'),
  'symbol()': text('FIND'),
  'supportsInterface(bytes4)': supporting(0xd9b67a26, 0x0e89341c),
  'uri(uint256)': text('https://simulated.example.org/finds/{id}.json'),
  'isApprovedForAll(address,address)': () => abiWord(0),
  'balanceOf(address,uint256)': (state, [holder, id = 0n]) =>
    abiWord(id >= 1n && id <= BigInt(itemKinds) ? state.items(items, Number(id), addressOf(holder)) : 0n),
})

const contracts: ReadonlyMap<string, ReadonlyMap<string, Method>> = new Map([
  [evmContracts.stableCoin.toString('hex'), erc20(evmContracts.stableCoin.toString('hex'), usdc.title, usdc.symbol)],
  [
    evmContracts.wrappedCoin.toString('hex'),
    erc20(evmContracts.wrappedCoin.toString('hex'), pebble.title, pebble.symbol),
  ],
  [pictures, erc721],
  [items, erc1155],
])

/**
 * Addresses without code succeed, as in the EVM.
 *
 * @param contract 40 hex digits
 *
 * @returns undefined if the call reverts
 */
export function callContract(state: EvmState, contract: string, input: Buffer): Buffer | undefined {
  const known = contracts.get(contract)
  if (known === undefined) return Buffer.alloc(0)
  const method = known.get(input.toString('hex', 0, 4))
  const words: bigint[] = []
  for (let at = 4; at + 32 <= input.length; at += 32) words.push(BigInt(`0x${input.toString('hex', at, at + 32)}`))
  return method?.(state, words)
}
