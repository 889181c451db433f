import { skewed } from '../skewed-world.ts'
import type { ListCase } from '../list-case.ts'
import { caseOf } from './cases-of.ts'
import type { Values } from './cases-of.ts'

const accounts = (values: Values, from: string, column: string): ListCase =>
  caseOf('/flow/account', values, {
    cursor: `${column} || ':' || a.address`,
    from,
    order: [`-${column}`, 'a.address'],
  })

const present = 'app.contracts s where not s.is_removed'
const contracts = (values: Values, cursor: string, order: readonly string[], where = 'true'): ListCase =>
  caseOf('/flow/contract', values, { cursor, from: `${present} and ${where}`, order })
const byUsage = (values: Values, where: string): ListCase =>
  caseOf('/flow/contract', values, {
    cursor: "coalesce(d.dependent_count, 0) || ':' || s.contract",
    from: `app.contracts s left join app.contract_dependents d using (contract) where not s.is_removed and ${where}`,
    order: ['-coalesce(d.dependent_count, 0)', 's.contract collate "C"'],
  })
const byName = ['s.name', 's.address']
const byAddress = ['s.address', 's.name']
const updated = "s.updated_height || ':' || s.updated_tx_index || ':' || s.updated_event_index || ':' || s.contract"
const byUpdate = ['-s.updated_height', '-s.updated_tx_index', '-s.updated_event_index']
const created = "concat(s.created_height || ':' || s.created_tx_index || ':', s.contract)"
const byCreation = ['s.created_height is null', '-s.created_height', '-s.created_tx_index', 's.address', 's.name']
const someAccount = '0x0000000000010000'

export const accountCases: readonly ListCase[] = [
  accounts({}, 'app.accounts a', 'a.last_seen_height'),
  accounts({ sort_by: 'first_seen' }, 'app.accounts a', 'a.first_seen_height'),
  accounts({ sort_by: 'tx_count' }, 'app.address_stats a', 'a.tx_count'),
  accounts(
    { sort_by: 'flow_balance' },
    `app.ft_holdings a where a.token = '${skewed.token}' and a.balance > 0`,
    'a.balance',
  ),
  caseOf(
    '/flow/key/{publicKey}',
    { publicKey: skewed.publicKey },
    {
      cursor: "k.is_revoked::integer || ':' || k.address || ':' || k.key_index",
      from: `app.account_keys k where k.public_key = decode('${skewed.publicKey}', 'hex')`,
      order: ['k.is_revoked', 'k.address', 'k.key_index'],
    },
  ),
  caseOf(
    '/flow/coa/{address}',
    { address: skewed.whale },
    {
      cursor: "c.block_height || ':' || c.tx_index || ':' || c.event_index",
      from: `app.coa_accounts c where c.flow_address = '${skewed.whale}'`,
      order: ['c.block_height', 'c.tx_index', 'c.event_index'],
    },
  ),
  byUsage({}, 'true'),
  byUsage({ kind: 'NFT' }, "s.kind = 'NFT'"),
  byUsage({ name: 'contract1' }, "s.name ilike '%contract1%'"),
  contracts({ sort: 'address' }, 's.contract', byAddress),
  contracts({ sort: 'name' }, 's.contract', byName),
  contracts({ sort: 'updated_at' }, updated, byUpdate),
  contracts({ sort: 'created_at' }, created, byCreation),
  contracts({ sort: 'created_at', sort_order: 'asc' }, created, [
    's.created_height is null',
    's.created_height',
    's.created_tx_index',
    '-s.address',
    '-s.name',
  ]),
  contracts({ sort: 'name', address: someAccount }, 's.contract', byName, `s.address = '${someAccount}'`),
  contracts({ sort: 'name', kind: 'FT' }, 's.contract', byName, "s.kind = 'FT'"),
  contracts({ sort: 'name', name: 'contract1' }, 's.contract', byName, "s.name ilike '%contract1%'"),
  contracts({ sort: 'updated_at', name: 'contract77' }, updated, byUpdate, "s.name ilike '%contract77%'"),
  contracts({ sort: 'address', identifier: 'FungibleTok' }, 's.contract', byAddress, "s.contract like '%FungibleTok%'"),
  contracts({ sort: 'updated_at', body: 'true' }, updated, byUpdate),
  caseOf(
    '/flow/contract/{identifier}/version',
    { identifier: skewed.contract },
    {
      cursor: "v.block_height || ':' || v.tx_index || ':' || v.event_index",
      from: `app.contract_versions v where v.address = '0xf233dcee88fe0abe' and v.name = 'FungibleToken'`,
      order: ['-v.block_height', '-v.tx_index', '-v.event_index'],
    },
  ),
  ...[1, 3].map((depth) =>
    caseOf(
      '/flow/contract/{identifier}/dependencies',
      { identifier: skewed.contract, depth },
      {
        cursor: 's.contract',
        from: `${present} and '${skewed.contract}' = any (s.imports)`,
        order: ['s.contract collate "C"'],
      },
    ),
  ),
]
