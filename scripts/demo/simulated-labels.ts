import type { LabelCategory } from '../../src/chain/known-accounts.ts'
import type { AccountLabel } from '../../src/farm/labels/account-labels.ts'
import { coas, evmContracts } from '../../src/simnode/ledger/evm/evm-world.ts'
import { alarmContract, alarmKeeper } from '../../src/simnode/ledger/scheduled/alarm.ts'
import { pairs } from '../../src/simnode/ledger/swaps/pairs.ts'
import type { Account } from '../../src/simnode/ledger/world/account.ts'
import { collections } from '../../src/simnode/ledger/world/collections.ts'
import { personOfTurn } from '../../src/simnode/ledger/world/people.ts'
import { flow, tokens } from '../../src/simnode/ledger/world/tokens.ts'

type Label = Omit<AccountLabel, 'isBuiltIn'>

/** Of the people that are in most of what happens, the first; the richest come first. */
const people: readonly (readonly [label: string, category: LabelCategory])[] = [
  ['Harbour Exchange', 'exchange'],
  ['Old Town Treasury', 'whale'],
  ['Lantern Exchange', 'exchange'],
  ['The Night Market', 'nft'],
  ['North Quay Savings', 'whale'],
  ['Heron Collectors’ Club', 'nft'],
  ['Tidewater Loans', 'defi'],
  ['Bakery on the Quay', 'custom'],
  ['Ferry Tickets', 'service'],
  ['Signal Box Gallery', 'nft'],
  ['Grandmother’s Chest', 'whale'],
  ['Bookshop by the Bridge', 'custom'],
  ['Sleeping Car Company', 'service'],
  ['Café Zürich', 'custom'],
  ['Reading Room', 'custom'],
  ['Mill Pond Fund', 'defi'],
  ['Tram Depot', 'service'],
  ['Botanical Garden', 'custom'],
  ['Cinema Aurora', 'custom'],
  ['Clockmaker', 'custom'],
]

/** What accounts of the simulated chain are known as to those who run the demo. */
export function simulatedLabels(): readonly Label[] {
  return [
    ...tokens
      .filter((token) => token !== flow)
      .map(({ contract, title, symbol }) => label(contract, symbol, `${title} Issuer`, 'service')),
    ...collections.map(({ contract, title, name }) => label(contract, name, `${title} Studio`, 'nft')),
    ...pairs.map(({ contract, token0, token1 }) =>
      label(contract, 'pair', `Exchange of ${token0.symbol} and ${token1.symbol}`, 'defi'),
    ),
    label(alarmContract, 'alarm', 'Alarm', 'service'),
    label(alarmKeeper, 'alarm-keeper', 'Keeper of the Alarm', 'custom'),
    ...people.map(([text, category], place) => label(personOfTurn(place), text, text, category)),
    evmLabel(evmContracts.stableCoin, 'stable-coin', 'USD Coin on the EVM', 'defi'),
    evmLabel(evmContracts.wrappedCoin, 'pebble-coin', 'Pebble Coin on the EVM', 'defi'),
    evmLabel(evmContracts.pictures, 'pictures', 'Herons on the EVM', 'nft'),
    evmLabel(evmContracts.items, 'items', 'Tools and Seeds', 'nft'),
    ...coas
      .slice(0, people.length)
      .map(({ address }, place) =>
        evmLabel(address, 'owned', `${people[place]?.[0] ?? ''} on the EVM`, people[place]?.[1] ?? 'custom'),
      ),
  ]
}

function label({ hex }: Account, name: string, text: string, category: LabelCategory): Label {
  return { address: `0x${hex}`, tag: tagOf(name), label: text, category }
}

function evmLabel(address: Buffer, tag: string, text: string, category: LabelCategory): Label {
  return { address: `0x${address.toString('hex')}`, tag, label: text, category }
}

/** Lower case, digits and dashes. */
function tagOf(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, '')
    .replaceAll(' ', '-')
}
