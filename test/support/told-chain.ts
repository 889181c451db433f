import type { Pool } from 'pg'
import { AskableNode } from './askable-node.ts'
import { readApiSamples } from './api-samples.ts'
import { deriveRecording } from './explored-chain.ts'
import type { ExploredChain } from './explored-chain.ts'
import { presentLedger } from './present-ledger.ts'
import { runApi } from './running-api.ts'

export interface ToldChain extends ExploredChain, AsyncDisposable {}

/**
 * The recording `base`, derived, with what a recording cannot be asked for: what contracts and items say of themselves, prices,
 * and a node that knows the present. All of this is made up.
 */
export async function toldChain(): Promise<ToldChain> {
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
  const api = await runApi(database.url, { server: { network: () => 'emulator' }, nodes: [node.endpoint] })
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
    insert into app.prices (token, currency, price_time, price, symbol)
    select token, 'USD', hour, round((0.7 + 0.01 * extract(hour from hour))::numeric, 4), upper(left(split_part(token, '.', 3), 4))
    from (select token from app.ft_token_totals order by transfer_count desc, token limit 2) t,
      (select min(timestamp) - interval '2 days' as first, max(timestamp) + interval '1 hour' as last from raw.blocks) b,
      generate_series(date_trunc('hour', first), last, interval '1 hour') hour`)
}
