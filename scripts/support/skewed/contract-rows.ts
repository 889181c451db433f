import { accountAt, skewed, skewedNumber } from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** Contracts, of which most were deployed in their thousands by the same code, and their versions. */
export function contractRows({ accounts, contracts, blocks, spacing }: SkewedWorld): string {
  const codes = Math.ceil(contracts / 2)
  const at = (every: number): string => `((i::bigint * ${every}) % ${blocks} * ${spacing})`
  const [, flowAccount = '', name = ''] = skewed.contract.split('.')
  return `
    insert into app.contract_code (code_hash, code, kind, imports, found_in)
    select sha256(int8send(i)), 'access(all) contract C {}', (array['CONTRACT', 'NFT', 'CONTRACT', 'FT'])[i % 4 + 1],
      case when i = 0 then '{}'::text[] else array['${skewed.contract}'] end, 'argument'
    from generate_series(0, ${codes - 1}) as i;
    insert into app.contract_versions (block_height, tx_index, event_index, change, address, name, code_hash)
    select ${at(7)}, 0, 1000 + i, 'added', ${accountAt(skewedNumber(accounts, 'i', 51))}, 'Contract' || i, sha256(int8send(1 + i % ${codes - 1}))
    from generate_series(1, ${contracts}) as i;
    insert into app.contract_versions (block_height, tx_index, event_index, change, address, name, code_hash)
    select ${at(Math.floor(blocks / 300))}, 0, 1, case when i = 1 then 'added' else 'updated' end, '0x${flowAccount}', '${name}', sha256(int8send(0))
    from generate_series(1, 250) as i;
    insert into app.smart_contracts (
      address, name, created_height, created_tx_index, updated_height, updated_tx_index, updated_event_index, is_removed, code_hash
    )
    select address, name, case when nth % 20 <> 0 then min(block_height) end, case when nth % 20 <> 0 then 0 end, max(block_height), 0,
      max(event_index), nth % 30 = 29, min(code_hash)
    from (select *, dense_rank() over (order by address, name) as nth from app.contract_versions) as v group by address, name, nth`
}
