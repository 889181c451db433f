import type { Pool } from 'pg'
import { AskableNode } from './askable-node.ts'
import { readApiSamples } from './api-samples.ts'
import type { TestDatabase } from './database.ts'
import { deriveRecording } from './explored-chain.ts'
import type { ExploredChain } from './explored-chain.ts'
import { presentLedger } from './present-ledger.ts'
import { runApi } from './running-api.ts'
import type { RunOptions } from './running-api.ts'

export interface ToldChain extends ExploredChain, AsyncDisposable {}

/**
 * The recording `base`, derived, with what a recording cannot be asked for: what contracts and items say of themselves, prices,
 * and a node that knows the present. All of this is made up.
 * @param server how its API differs from that of other tests, by the database that it is on
 */
export async function toldChain(server: (database: TestDatabase) => RunOptions['server'] = () => ({})): Promise<ToldChain> {
  const database = await deriveRecording()
  await tell(database.pool)
  const { account, contract } = await readApiSamples(database.pool)
  const [, contractAccount = '', contractName = ''] = contract?.split('.') ?? []
  const node = await AskableNode.start(presentLedger({
    [account?.slice(2) ?? '']: {
      stored: { '/storage/flowTokenVault': 'A.0ae53cb6e3f42a79.FlowToken.Vault' }, publicPaths: ['/public/flowTokenReceiver'],
    },
    [contractAccount]: { contracts: { [contractName]: `access(all) contract ${contractName} {}\n` } },
  }))
  const api = await runApi(database.url, { server: { network: () => 'emulator', ...server(database) }, nodes: [node.endpoint] })
  return {
    database,
    api,
    [Symbol.asyncDispose]: async () => {
      await api.stop()
      await node.stop()
      await database.drop()
    },
  }
}

async function tell(pool: Pool): Promise<void> {
  await pool.query(`
    insert into app.ft_token_metadata
      (token, name, symbol, description, external_url, logo, vault_path, receiver_path, balance_path, total_supply, socials, status, asked_at)
    select token, split_part(token, '.', 3), upper(left(split_part(token, '.', 3), 4)), 'A token of the tests.', 'https://example.org/token',
      'https://example.org/token.svg', '/storage/vault', '/public/receiver', '/public/balance', 1000000, '{"x": "https://example.org/x"}',
      'answered', timestamptz '2026-03-01'
    from app.ft_tokens
    on conflict (token) do update set name = excluded.name, symbol = excluded.symbol, description = excluded.description,
      external_url = excluded.external_url, logo = excluded.logo, vault_path = excluded.vault_path, receiver_path = excluded.receiver_path,
      balance_path = excluded.balance_path, total_supply = excluded.total_supply, socials = excluded.socials, status = excluded.status,
      asked_at = excluded.asked_at`)
  await pool.query(`
    insert into app.nft_collection_metadata
      (token, name, description, external_url, square_image, banner_image, storage_path, public_path, socials, status, asked_at)
    select token, split_part(token, '.', 3), 'A collection of the tests.', 'https://example.org/collection', 'https://example.org/square.png',
      'https://example.org/banner.png', '/storage/collection', '/public/collection', '{"x": "https://example.org/x"}', 'answered',
      timestamptz '2026-03-01'
    from app.nft_collections
    on conflict (token) do update set name = excluded.name, description = excluded.description, external_url = excluded.external_url,
      square_image = excluded.square_image, banner_image = excluded.banner_image, storage_path = excluded.storage_path,
      public_path = excluded.public_path, socials = excluded.socials, status = excluded.status, asked_at = excluded.asked_at`)
  await pool.query(`
    insert into app.nft_items
      (token, nft_id, name, description, thumbnail, external_url, serial_number, edition_name, edition_number, edition_max, rarity_score,
        rarity_description, traits, status, asked_at)
    select token, nft_id, 'Stone ' || nft_id, 'A stone of the river.', 'https://example.org/stone.png', 'https://example.org/stone', nft_id,
      'First', nft_id, 100, 1.5, 'common', '[{"name": "color", "value": "grey", "displayType": null, "rarity": null}]', 'answered', timestamptz '2026-03-01'
    from app.nft_ownership where not is_burned
    on conflict (token, nft_id) do update set name = excluded.name, description = excluded.description, thumbnail = excluded.thumbnail,
      external_url = excluded.external_url, serial_number = excluded.serial_number, edition_name = excluded.edition_name,
      edition_number = excluded.edition_number, edition_max = excluded.edition_max, rarity_score = excluded.rarity_score,
      rarity_description = excluded.rarity_description, traits = excluded.traits, status = excluded.status, asked_at = excluded.asked_at`)
  await pool.query(`
    insert into app.contract_code (code_hash, code, kind, imports, found_in)
    select distinct on (code_hash) code_hash, 'access(all) contract ' || name || ' {}', 'CONTRACT', '{A.ee82856bf20e2aa6.FungibleToken}'::text[], 'chain'
    from app.smart_contracts order by code_hash, address, name
    on conflict do nothing`)
  await pool.query(`
    insert into app.network_state
      (subject, height, chain_view, block_time, epoch, epoch_phase, epoch_start_view, staking_end_view, epoch_end_view, epoch_rewards,
        target_end_time, is_staking_enabled, total_staked, staked_by_role, minimum_stake_by_role, epoch_payout, reward_cut, total_supply,
        node_count, staked_node_count, status, asked_at)
    select 'network', height, 1280, timestamp, (select max(epoch) from app.epoch_stats), 0, 1000, 1500, 2000, 1000, timestamp + interval '1 day', true,
      5000000, '{"1": "1000000"}', '{"1": "250000"}', 1000, 0.08, 1000000000, 5, 5, 'answered', timestamp
    from raw.blocks order by height desc limit 1
    on conflict (subject) do update set height = excluded.height, chain_view = excluded.chain_view, block_time = excluded.block_time,
      epoch = excluded.epoch, epoch_phase = excluded.epoch_phase, epoch_start_view = excluded.epoch_start_view,
      staking_end_view = excluded.staking_end_view, epoch_end_view = excluded.epoch_end_view, epoch_rewards = excluded.epoch_rewards,
      target_end_time = excluded.target_end_time, is_staking_enabled = excluded.is_staking_enabled, total_staked = excluded.total_staked,
      staked_by_role = excluded.staked_by_role, minimum_stake_by_role = excluded.minimum_stake_by_role, epoch_payout = excluded.epoch_payout,
      reward_cut = excluded.reward_cut, total_supply = excluded.total_supply, node_count = excluded.node_count,
      staked_node_count = excluded.staked_node_count, status = excluded.status, asked_at = excluded.asked_at`)
  await pool.query(`
    insert into app.prices (token, currency, price_time, price, symbol)
    select token, 'USD', hour, 0.75, upper(left(split_part(token, '.', 3), 4))
    from (select token from app.ft_token_totals order by transfer_count desc, token limit 2) t,
      (select min(timestamp) - interval '2 days' as first, max(timestamp) + interval '1 hour' as last from raw.blocks) b,
      lateral (
        select generate_series(date_trunc('hour', first), last, interval '1 hour')
        union select date_trunc('hour', now()) - hours * interval '1 hour' from generate_series(0, 48, 24) hours
      ) h (hour)`)
}
