import { expect } from 'chai'
import { contractCodeHash } from '../../../src/flow/code/find-contract-code.ts'
import { createTestDatabase } from '../../support/database.ts'
import { FlowfarmProcess } from '../../support/flowfarm-process.ts'
import { truthOf } from '../../support/recording-annotations.ts'
import { startRecordedNode } from '../../support/replay.ts'

describe('enrichment workers, beside all others', () => {
  it('load all contract code and the metadata of tokens and items of the recording, and block no worker while other scripts fail', async () => {
    await using node = await startRecordedNode('base')
    const database = await createTestDatabase()
    const farm = new FlowfarmProcess(['ingest', 'farm'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: '300',
    })
    try {
      for (;;) {
        const {
          rows: [state],
        } = await database.pool.query<{ versions: number; missing: number; tokens: number; items: number }>(`
          select count(*)::int as versions, count(*) filter (where c.code_hash is null)::int as missing,
            (select count(*)::int from app.ft_token_metadata where status = 'answered') as tokens,
            (select count(*)::int from app.nft_items where status = 'answered') as items
          from pg_sleep(0.02), app.contract_versions v left join app.contract_code c using (code_hash) where v.change <> 'removed'`)
        if (state !== undefined && state.versions >= 11 && state.missing === 0 && state.tokens >= 3 && state.items > 0)
          break
      }
      const { rows: codes } = await database.pool.query<{ code_hash: Buffer; code: string }>(
        'select code_hash, code from app.contract_code',
      )
      for (const { code_hash: hash, code } of codes)
        expect(contractCodeHash(Buffer.from(code)).equals(hash)).to.equal(true)
      const { rows: kinds } = await database.pool.query<{ kind: string }>(
        'select distinct kind from app.contracts where not is_removed order by 1',
      )
      expect(kinds.map(({ kind }) => kind)).to.deep.equal(['CONTRACT', 'FT', 'NFT'])
      const { rows: tokens } = await database.pool.query<object>(
        'select token, symbol, total_supply::text from app.ft_token_metadata order by token',
      )
      const { total_supply: supplies } = await truthOf('base')
      expect(tokens).to.deep.equal(
        Object.entries({
          'A.0ae53cb6e3f42a79.FlowToken': 'FLOW',
          'A.179b6b1cb6755e31.MossPoints': 'P',
          'A.179b6b1cb6755e31.PebbleCoin': 'PEBB',
        }).map(([token, symbol]) => ({ token, symbol, total_supply: supplies[`${token}.Vault`] })),
      )
      expect(await farm.end('SIGTERM'), farm.output()).to.equal(0)
      expect(farm.log.filter(({ level }) => level === 'error' || level === 'fatal')).to.deep.equal([])
    } finally {
      await farm.end('SIGKILL')
      await database.drop()
    }
  })
})
