import type { ClientBase, Pool } from 'pg'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { tokenId } from '../../src/flow/tokens/token-id.ts'
import { ufix64Text, ufix64Units } from '../../src/flow/tokens/ufix64.ts'
import type { TrueAccount, Truth } from './recording-annotations.ts'
import { textOf } from './text-of.ts'

/**
 * Compares our tables of tokens and items at the end of a recording with the chain's own state.
 * `differences` must be empty. `unshown` lists what events cannot show, in sentences that begin
 * with the place. There are two such cases:
 *
 * - a vault or item stored before the first block, or without a deposit, that no later event names:
 *   it is unknown;
 * - a vault or item inside a contract or another resource: its events name the account, whose
 *   storage listing lacks it. Our tables include it in the account.
 */
export interface TruthReport {
  readonly differences: readonly string[]
  readonly unshown: readonly string[]
}

/**
 * Compares the output derived from `blocks` with the truth at their end. They may begin at any
 * height.
 */
export async function compareWithTruth(
  database: Database,
  { accounts }: Truth,
  blocks: readonly DecodedBlock[],
): Promise<TruthReport> {
  const report = { differences: [] as string[], unshown: [] as string[] }
  const named = namedIn(blocks)
  compareVaults(report, accounts, await readVaults(database), named)
  await checkHoldings(database, report)
  await checkPayers(database, report, accounts)
  compareItems(report, accounts, await readItems(database), named)
  return { differences: report.differences.toSorted(), unshown: report.unshown.toSorted() }
}

type Database = ClientBase | Pool
type Report = { readonly differences: string[]; readonly unshown: string[] }
type Accounts = Readonly<Record<string, TrueAccount>>

/** The objects named in events of some blocks. */
interface Named {
  /** `<address> <token>` */
  readonly vaults: ReadonlySet<string>
  /** `<address> <token>` if the vault in storage is among them, as fees are taken from it. */
  readonly storedVaults: ReadonlySet<string>
  /** `<id> <uuid>` */
  readonly items: ReadonlySet<string>
}

function namedIn(blocks: readonly DecodedBlock[]): Named {
  const [vaults, storedVaults, items] = [new Set<string>(), new Set<string>(), new Set<string>()]
  for (const { payer, events } of blocks.flatMap(({ transactions }) => transactions)) {
    let flow: string | undefined
    for (const { type, fields } of events) {
      if (/\.FungibleToken\.(Withdrawn|Deposited)$/.test(type)) {
        const token = tokenId(textOf(fields?.['type']))
        if (token?.endsWith('.FlowToken') === true) flow = token
        vaults.add(`${textOf(fields?.['from'] ?? fields?.['to'])} ${token}`)
      } else if (/\.NonFungibleToken\.(Withdrawn|Deposited|NFT\.ResourceDestroyed)$/.test(type)) {
        items.add(`${textOf(fields?.['id'])} ${textOf(fields?.['uuid'])}`)
      } else if (type.endsWith('.FlowFees.FeesDeducted')) storedVaults.add(`${payer} ${flow}`)
    }
  }
  return { vaults, storedVaults, items }
}

/** The last known place of each vault. */
const latestVaults = `
  select distinct on (vault_uuid, token) '0x' || encode(owner, 'hex') as owner, token, balance from app.ft_vault_balances
  order by vault_uuid, token, block_height desc`

/** Balances of vaults now in an account, by `<address> <token>`. */
async function readVaults(database: Database): Promise<Map<string, string[]>> {
  const { rows } = await database.query<{ place: string; balances: string[] }>(
    `select owner || ' ' || token as place, array_agg(balance::text) as balances
     from (${latestVaults}) as latest where owner <> '0x' group by 1`,
  )
  return new Map(rows.map(({ place, balances }) => [place, balances]))
}

function compareVaults(
  report: Report,
  accounts: Accounts,
  seen: ReadonlyMap<string, readonly string[]>,
  named: Named,
): void {
  const stored = new Map<string, string[]>()
  for (const [address, { vaults }] of Object.entries(accounts)) {
    for (const { type, balance } of vaults) {
      const place = `${address} ${tokenId(type)}`
      stored.set(place, [...(stored.get(place) ?? []), balance])
    }
  }
  for (const place of new Set([...stored.keys(), ...seen.keys()])) {
    const inStorage = [...(stored.get(place) ?? [])]
    const others: string[] = []
    for (const balance of seen.get(place) ?? []) {
      const at = inStorage.indexOf(balance)
      if (at >= 0) inStorage.splice(at, 1)
      else others.push(balance)
    }
    if (others.length > 0) {
      const list = mayHoldMore(accounts, place) ? report.unshown : report.differences
      const sum = ufix64Text(others.reduce((total, balance) => total + ufix64Units(balance), 0n))
      list.push(`${place}: not in its storage, ${others.length} with ${sum}`)
    }
    for (const balance of inStorage) {
      // An account with contracts may be named for vaults inside its contracts.
      const mayBeUnnamed = hasContracts(accounts, place) && others.length > 0 && !named.storedVaults.has(place)
      if (mayBeUnnamed || !named.vaults.has(place))
        report.unshown.push(`${place}: a vault of ${balance} was never named`)
      else report.differences.push(`${place}: no vault has the ${balance} of the chain`)
    }
  }
}

/** Checks that accounts have the balances of their vaults, and that no balance is negative. */
async function checkHoldings(database: Database, report: Report): Promise<void> {
  const { rows } = await database.query<{ place: string; reported: string; summed: string }>(
    `select address || ' ' || token as place, h.balance::text as reported, v.balance::text as summed
     from app.ft_holdings h full join (
       select owner as address, token, sum(balance) as balance
       from (${latestVaults}) as latest where owner <> '0x' group by 1, 2
     ) as v using (address, token)
     where h.is_complete is not true or h.balance <> coalesce(v.balance, 0) or h.balance < 0`,
  )
  for (const { place, reported, summed } of rows) {
    report.differences.push(`${place}: app.ft_holdings has ${reported}, the vaults have ${summed}`)
  }
}

/**
 * Checks that the storage vault of fee payers equals the chain's balance, regardless of their
 * contracts. Fees are taken from the vault in storage, so it is the one that changed in a block
 * without other changes of the account.
 */
async function checkPayers(database: Database, report: Report, accounts: Accounts): Promise<void> {
  const { rows } = await database.query<{ address: string; balance: string }>(
    `select distinct on (p.from_address) p.from_address as address, b.balance::text
     from app.ft_transfers p cross join lateral (
       select min(v.vault_uuid) as vault_uuid from app.ft_vault_balances v
       where v.block_height = p.block_height and '0x' || encode(v.owner, 'hex') = p.from_address and v.token = p.token having count(*) = 1
     ) paying cross join lateral (
       select l.balance from app.ft_vault_balances l
       where l.vault_uuid = paying.vault_uuid and l.token = p.token order by l.block_height desc limit 1
     ) b
     where p.transfer_type = 'fee' order by p.from_address, p.block_height desc`,
  )
  for (const { address, balance } of rows) {
    const { flow_balance: expected } = accounts[address] ?? { flow_balance: undefined }
    if (balance !== expected) report.differences.push(`${address}: pays from ${balance} FLOW, and has ${expected}`)
  }
}

interface Item {
  readonly owner: string
  readonly token: string
  readonly id: string
  readonly uuid: string | null
}

async function readItems(database: Database): Promise<Item[]> {
  const { rows } = await database.query<Item>(
    'select owner, token, nft_id::text as id, nft_uuid::text as uuid from app.nft_ownership where owner is not null',
  )
  return rows
}

function compareItems(report: Report, accounts: Accounts, ours: readonly Item[], named: Named): void {
  const sentence = ({ owner, token, id, uuid }: Item): string => `${owner} ${token} ${id} (${uuid})`
  const owned = new Set(ours.map(sentence))
  const theirs = Object.entries(accounts).flatMap(([owner, { nfts }]) =>
    nfts.map(({ type, id, uuid }) => ({ owner, token: tokenId(type) ?? type, id, uuid })),
  )
  const stored = new Set(theirs.map(sentence))
  const somewhere = new Set(theirs.map(({ id, uuid }) => `${id} ${uuid}`))
  for (const item of ours.filter((one) => !stored.has(sentence(one)))) {
    const isInside = mayHoldMore(accounts, item.owner) && !somewhere.has(`${item.id} ${item.uuid}`)
    if (isInside) report.unshown.push(`${sentence(item)}: not in its storage`)
    else report.differences.push(`${sentence(item)}: not there`)
  }
  for (const item of theirs.filter((one) => !owned.has(sentence(one)))) {
    if (named.items.has(`${item.id} ${item.uuid}`)) report.differences.push(`${sentence(item)}: missing`)
    else report.unshown.push(`${sentence(item)}: was never named`)
  }
}

/** Whether the account may have vaults and items that are not directly in its storage. */
function mayHoldMore(accounts: Accounts, place: string): boolean {
  const [address = ''] = place.split(' ')
  const resources = accounts[address]?.other_storage.filter(([, type]) => /^A\..*(?<! \(empty\))$/.test(type)) ?? []
  return resources.length > 0 || hasContracts(accounts, place)
}

/** @param place begins with the address */
function hasContracts(accounts: Accounts, place: string): boolean {
  const [address = ''] = place.split(' ')
  return Object.keys(accounts[address]?.contracts ?? {}).length > 0
}
