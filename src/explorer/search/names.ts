import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { parseEventType } from '../../flow/type-id.ts'
import { readContractGraph } from '../contracts/graph.ts'
import { contractParts } from '../formats.ts'
import { sharedRead } from '../paging/shared-read.ts'
import { NameIndex } from './name-index.ts'
import type { NamedEntry } from './name-index.ts'

export type NameKind = 'contract' | 'token' | 'evm_token' | 'collection' | 'account' | 'event_type'

/** Per kind, highest weight first. */
const maxNames = 20_000

const namesRow = z.object({ names: z.string() })
const nameRows = z.array(
  z.tuple([
    z.enum(['token', 'evm_token', 'collection', 'account', 'event_type']),
    z.string(),
    z.array(z.string().nullable()),
    z.number(),
  ]),
)

const sources: readonly FragmentSqlToken[] = [
  sql.fragment`
    select 'token' as kind, t.token as id, array[m.name, m.symbol] as names, coalesce(h.holder_count, 0) as weight
    from app.ft_tokens t
    left join app.ft_token_metadata m using (token) left join app.ft_token_holders h using (token)`,
  sql.fragment`
    select 'collection', c.token, array[m.name], coalesce(s.holder_count, 0)
    from app.nft_collections c
    left join app.nft_collection_metadata m using (token) left join app.nft_collection_stats s using (token)`,
  sql.fragment`
    select 'evm_token', t.token, array[m.name, m.symbol, f.name, f.symbol, c.name], max(t.holder_count)
    from app.evm_tokens t
    left join app.evm_token_metadata m on m.token = t.token
    left join app.ft_token_metadata f on f.evm_address = '0x' || t.token
    left join app.nft_collection_metadata c on c.evm_address = '0x' || t.token
    group by t.token, m.name, m.symbol, f.name, f.symbol, c.name`,
  sql.fragment`select 'account', address || ' ' || tag, array[label], 0 from app.account_labels`,
  sql.fragment`select 'event_type', type, '{}'::text[], event_count from app.event_types`,
]

/** Names of everything that has one. */
export const readNames = sharedRead(async (database: DatabasePool): Promise<NameIndex<NameKind>> => {
  const limited = sources.map((source) => sql.fragment`(${source} order by 4 desc, 2 limit ${maxNames})`)
  const [{ ranked }, { names }] = await Promise.all([
    readContractGraph(database),
    database.one(sql.type(namesRow)`
      select coalesce(json_agg(json_build_array(kind, id, names, weight)), '[]')::text as names
      from (${sql.join(limited, sql.fragment` union all `)}) n
    `),
  ])
  return NameIndex.build<NameKind>([
    ...ranked.map(({ contract, dependents }): NamedEntry<NameKind> => ({
      kind: 'contract',
      id: contract,
      names: [contractParts(contract).name],
      weight: dependents,
    })),
    ...nameRows.parse(JSON.parse(names)).map(([kind, id, given, weight]) => ({
      kind,
      id,
      names: [...given.filter((name) => name !== null), ...namesOfId(kind, id)],
      weight,
    })),
  ])
})

function namesOfId(kind: NameKind, id: string): readonly string[] {
  if (kind === 'account' || kind === 'evm_token') return []
  if (kind !== 'event_type') return [contractParts(id).name]
  const { contract, name } = parseEventType(id)
  return contract === undefined ? [name] : [name, `${contract}.${name}`]
}
