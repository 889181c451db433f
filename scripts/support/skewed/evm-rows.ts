import { even, evmAddressAt, skewed, skewedNumber } from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** Transactions of the EVM, one in four blocks, and what they moved. @param blocks a set `n` of numbers of blocks, as SQL */
export function evmRows(blocks: string, world: SkewedWorld): string {
  const { spacing, accounts, evmTokens, items } = world
  const h = `(n * ${spacing})`
  const someone = (salt: number): string => evmAddressAt('1', skewedNumber(accounts, 'n', salt))
  const quiet = (other: string): string =>
    `case when n % ${4 * Math.floor(world.blocks / 32)} = 4 then '${skewed.evmQuiet}' else ${other} end`
  const ofBlocks = `from ${blocks} as n where n % 4 = 0`
  return `
    insert into app.evm_tx_hashes (
      block_height, tx_index, event_index, tx_id, evm_hash, evm_from, evm_to, evm_value, evm_gas_used, evm_status
    )
    select ${h}, 0, 0, encode(sha256(int8send(${h})), 'hex'), encode(sha256(int8send(-${h} - 1)), 'hex'),
      case when ${even('n', 31)} < 0.5 then '${skewed.evmWhale}' else ${someone(32)} end, ${quiet(someone(33))}, 1, 21000, 1
    ${ofBlocks};
    insert into app.evm_transactions (block_height, tx_index, event_index, evm_block_height, evm_tx_index, error_code, tx_type)
    select ${h}, 0, 0, n, 0, 0, 2 ${ofBlocks};
    insert into app.evm_token_transfers (
      block_height, tx_index, event_index, log_index, batch_index, standard, token, from_address, to_address, token_id, amount
    )
    select ${h}, 0, 0, 0, 0, 20,
      case when ${even('n', 34)} < 0.8 then '${skewed.evmCoin}' else ${evmAddressAt('5', skewedNumber(evmTokens, 'n', 35))} end,
      case when ${even('n', 31)} < 0.5 then '${skewed.evmWhale}' else ${someone(32)} end, ${quiet(someone(36))}, null, 1
    ${ofBlocks}
    union all
    select ${h}, 0, 0, 1, 0, 721, '${skewed.evmBadge}', ${someone(37)}, ${someone(38)}, floor(${items} * ${even('n', 39)}), 1
    from ${blocks} as n where n % 16 = 0`
}

/** Tokens of the EVM, and who has them. */
export function evmCatalogueRows({ accounts, evmTokens, items, highest }: SkewedWorld): string {
  return `
    insert into app.evm_tokens (token, standard, first_height, transfer_count, holder_count, short_count)
    select ${evmAddressAt('5', 'i')}, case when i % 4 = 3 then 721 else 20 end, ${highest} / ${evmTokens} * i, 1 + 1000 / (i + 1), 1 + 500 / (i + 1), 0
    from generate_series(0, ${evmTokens - 1}) as i;
    insert into app.evm_tokens (token, standard, first_height, transfer_count, holder_count, short_count) values
      ('${skewed.evmCoin}', 20, 0, ${accounts}, ${accounts}, 0), ('${skewed.evmBadge}', 721, 0, ${items}, ${items}, 0),
      ('${evmOdd}', 1155, 0, 1, 1, 0);
    insert into app.evm_token_holdings (address, token, standard, balance)
    select ${evmAddressAt('1', 'i')}, '${skewed.evmCoin}', 20, 1 + 100000 / (i + 1) from generate_series(0, ${accounts - 1}) as i;
    insert into app.evm_token_holdings (address, token, standard, balance)
    select '${skewed.evmWhale}', token, standard, 1 from app.evm_tokens;
    insert into app.evm_token_items (token, standard, token_id, address, balance)
    select '${skewed.evmBadge}', 721, i, case when i % 2 = 0 then '${skewed.evmWhale}' else ${evmAddressAt('1', 'i % 1000')} end, 1
    from generate_series(1, ${items}) as i`
}

const evmOdd = '11'.repeat(20)
