import { skewed } from '../skewed-world.ts'
import type { ListCase, ListKeys } from '../list-case.ts'
import { caseOf, isWithinDays, someDays } from './cases-of.ts'
import type { Values } from './cases-of.ts'
import { isParty, isReceived, recentCollections, transferCursor, transferOrder } from './tokens.ts'

const { whale, occasional, quiet, late, collection, rareCollection } = skewed

/** A collection that moves occasionally. */
const someCollection = 'A.000000000001000a.Items'
const item = '17'

function transfers(where: string): ListKeys {
  return { cursor: transferCursor, from: `app.nft_transfers t where ${where}`, order: transferOrder }
}

const all = (values: Values, where: string): ListCase => caseOf('/flow/nft/transfer', values, transfers(where))
const ofAccount = (values: Values & { readonly address: string }, where: string): ListCase =>
  caseOf('/flow/account/{address}/nft/transfer', values, transfers(`${isParty(values.address)} and ${where}`))
const ofCollection = (moved: string): string => `t.token = '${moved}'`
const ofItem = `${ofCollection(collection)} and t.nft_id = ${item}`

function catalogue(values: Values, from: string, count: string): ListCase {
  return caseOf('/flow/nft', values, { cursor: `${count} || ':' || o.token`, from, order: [`-${count}`, 'o.token'] })
}

const holders = (path: 'holding' | 'top-account', held: string): ListCase =>
  caseOf(
    `/flow/nft/{nft_type}/${path}`,
    { nft_type: held },
    {
      cursor: "h.item_count || ':' || h.address",
      from: `app.nft_holdings h where h.token = '${held}'`,
      order: ['-h.item_count', 'h.address'],
    },
  )

const search = (values: Values, where: string, isCut = false): ListCase =>
  caseOf(
    '/flow/nft/search',
    values,
    {
      cursor: "i.token || ':' || i.nft_id",
      from: `app.nft_items i where ${where}`,
      order: ['i.token', 'i.nft_id'],
    },
    isCut,
  )

export const nftCases: readonly ListCase[] = [
  all({}, 'true'),
  ...[collection, rareCollection, someCollection].map((moved) => all({ nft_type: moved }, ofCollection(moved))),
  ...[whale, occasional, quiet, late].map((address) => all({ address }, isParty(address))),
  ...[whale, occasional, late].map((address) => ofAccount({ address }, 'true')),
  all({ nft_type: collection, nft_id: item }, ofItem),
  all(someDays, isWithinDays),
  all({ address: whale, direction: 'deposit' }, isReceived(whale)),
  all(
    { address: whale, direction: 'withdraw', nft_type: collection, nft_id: item },
    `t.from_address = '${whale}' and ${ofItem}`,
  ),
  ofAccount({ address: whale, direction: 'withdraw', ...someDays }, `t.from_address = '${whale}' and ${isWithinDays}`),
  caseOf('/flow/account/{address}/transfer', { address: whale, type: 'nft' }, transfers(isParty(whale))),
  caseOf(
    '/flow/nft/{nft_type}/item/{id}/transfer',
    { nft_type: collection, id: item, ...someDays },
    transfers(`${ofItem} and ${isWithinDays}`),
  ),
  ...[collection, rareCollection, someCollection].map((moved) =>
    all({ address: whale, nft_type: moved }, `${isParty(whale)} and ${ofCollection(moved)}`),
  ),
  all({ address: whale, nft_type: collection, nft_id: item }, `${isParty(whale)} and ${ofItem}`),
  ofAccount({ address: whale, nft_type: collection }, ofCollection(collection)),
  ofAccount({ address: whale, nft_type: collection, nft_id: item }, ofItem),
  caseOf('/flow/nft/{nft_type}/item/{id}/transfer', { nft_type: collection, id: item }, transfers(ofItem)),
  catalogue({}, 'app.nft_collection_stats o', 'o.holder_count'),
  catalogue({ sort: 'transfers' }, 'app.nft_collection_totals o', 'o.transfer_count'),
  catalogue({ sort: 'newest' }, 'app.nft_collections o', 'o.first_height'),
  catalogue({ sort: 'trending' }, recentCollections, 'o.count'),
  catalogue({ sort: 'items' }, 'app.nft_collection_stats o', 'o.item_count'),
  caseOf(
    '/flow/nft',
    { sort: 'name' },
    { cursor: "'0:' || m.token", from: 'app.nft_collection_metadata m', order: ['lower(m.name)', 'm.token'] },
  ),
  catalogue(
    { filter: 'evm_bridged' },
    `app.nft_collection_stats o where exists (
    select from app.nft_collection_metadata m where m.token = o.token and m.evm_address is not null)`,
    'o.holder_count',
  ),
  catalogue({ search: 'items' }, "app.nft_collection_stats o where o.token ilike '%items'", 'o.holder_count'),
  holders('holding', collection),
  holders('holding', someCollection),
  holders('top-account', collection),
  ...[collection, someCollection].map((held) =>
    caseOf(
      '/flow/nft/{nft_type}/item',
      { nft_type: held },
      {
        cursor: 'i.nft_id',
        from: `app.nft_ownership i where i.token = '${held}'`,
        order: ['i.nft_id'],
      },
    ),
  ),
  caseOf(
    '/flow/account/{address}/nft',
    { address: whale },
    {
      cursor: 'h.token',
      from: `app.nft_holdings h where h.address = '${whale}'`,
      order: ['h.token'],
    },
  ),
  caseOf(
    '/flow/account/{address}/nft/{nft_type}',
    { address: whale, nft_type: collection },
    {
      cursor: 'o.nft_id',
      from: `app.nft_owners o where o.owner = '${whale}' and o.token = '${collection}'`,
      order: ['o.nft_id'],
    },
  ),
  search({ q: 'moment' }, 'true', true),
  search({ q: 'dunk' }, "i.name = 'Moment Dunk'", true),
  search({ q: 'word123' }, "i.description = 'word123'", true),
  search({ q: 'dunk', collection }, `i.token = '${collection}' and i.name = 'Moment Dunk'`, true),
]
