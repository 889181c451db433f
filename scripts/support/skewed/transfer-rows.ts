import {
  accountAt,
  contractAt,
  even,
  isLate,
  isMiddling,
  isRare,
  skewed,
  skewedNumber,
  transfersPerBlock,
} from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** Transfers of tokens, fees among them, and of items. @param blocks a set `n` of numbers of blocks, as SQL */
export function transferRows(blocks: string, world: SkewedWorld): string {
  const { spacing, blocks: count, accounts, tokens, collections, items } = world
  const h = `(n * ${spacing})`
  const seed = `(n * ${transfersPerBlock} + i)`
  const someAccount = (salt: number): string => accountAt(skewedNumber(accounts, seed, salt))
  const anybody = (salt: number): string => accountAt(skewedNumber(accounts, 'n', salt))
  const special = (index: number, token: string, from: string, to: string, where: string): string => `
    union all select ${h}, 0, ${index}, 0, '${token}', ${from}, ${to}, 1.00000000, 'transfer' from ${blocks} as n where ${where}`
  return `
    insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
    select ${h}, 0, i * 3, 0,
      case when ${even(seed, 11)} < 0.9 then '${skewed.token}' else ${contractAt(skewedNumber(tokens, seed, 12), 'Coin')} end,
      case when ${even(seed, 13)} < 0.1 then '${skewed.whale}' else ${someAccount(14)} end,
      case when i = 0 then '${skewed.whale}' else ${someAccount(15)} end,
      round(power(10, 5 * power(${even(seed, 16)}, 6))::numeric, 8), 'transfer'
    from ${blocks} as n cross join generate_series(0, ${transfersPerBlock - 1}) as i
    union all
    select ${h}, 0, 90, 0, '${skewed.token}', ${anybody(2)}, '0xf919ee77447b7497', 0.00000570, 'fee' from ${blocks} as n
    ${special(40, skewed.rareToken, `'${skewed.quiet}'`, `'${skewed.whale}'`, isRare(world))}
    ${special(41, skewed.oldToken, anybody(17), `case when n % 3 = 0 then '${skewed.whale}' else ${anybody(18)} end`, `n < ${Math.floor(count / 30)}`)}
    ${special(42, skewed.token, `'${skewed.middling}'`, anybody(19), isMiddling)}
    ${special(43, skewed.token, anybody(20), `'${skewed.late}'`, isLate(world))};
    insert into app.big_transfers (block_height, tx_index, event_index, leg, day, token, amount)
    select block_height, tx_index, event_index, leg, '2025-01-01', token, amount from app.ft_transfers
    where transfer_type <> 'fee' and amount >= 1000
      and block_height in (select ${h} from ${blocks} as n);
    insert into app.nft_transfers (block_height, tx_index, event_index, leg, token, nft_id, nft_uuid, from_address, to_address, transfer_type)
    select ${h}, 0, 60, 0,
      case when ${isRare(world)} then '${skewed.rareCollection}' when ${even('n', 21)} < 0.7 then '${skewed.collection}'
        else ${contractAt(skewedNumber(collections, 'n', 22), 'Items')} end,
      floor(${items} * ${even('n', 23)})::bigint + 1, n,
      case when ${isMiddling} then '${skewed.middling}' when ${even('n', 24)} < 0.1 then '${skewed.whale}' else ${anybody(25)} end,
      case when ${isLate(world)} then '${skewed.late}' when ${even('n', 26)} < 0.2 then '${skewed.whale}' else ${anybody(27)} end,
      'transfer'
    from ${blocks} as n where n % 2 = 0 or ${isMiddling} or ${isRare(world)} or ${isLate(world)}`
}
