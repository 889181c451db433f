import { StateNotServedError } from '../../src/flow/chain-reader.ts'
import { describeContract } from '../../src/flow/code/describe-contract.ts'
import { contractCodeHash, findContractCode } from '../../src/flow/code/find-contract-code.ts'
import type { Network } from '../../src/flow/network.ts'
import { payloadText } from '../../src/flow/payload-value.ts'
import { refreshPolicy } from './enrichment-worker.ts'
import type { QueryContext, EnrichmentWorker, Outcome, EnrichmentTable, Statement } from './enrichment-worker.ts'

interface CodeVersion {
  readonly address: string
  readonly height: number
  /** As in raw.transactions; null if it has none or is not stored. */
  readonly arguments: readonly unknown[] | null
  readonly script: string | null
}

interface CodeRow {
  readonly code_hash: Buffer
  /** Newest first, at most three. */
  readonly versions: readonly CodeVersion[]
}

const neverMs = 3650 * 86_400_000

/** Nearly always in the deploying transaction; otherwise read from the account at that block. */
async function findCode({ code_hash: codeHash, versions }: CodeRow, context: QueryContext): Promise<Outcome> {
  for (const version of versions) {
    const found = findContractCode(codeHash, version.script ?? '', version.arguments ?? [])
    if (found !== undefined) return answered(codeHash, found.code, found.foundIn, context.network)
  }
  let unserved: StateNotServedError | undefined
  for (const { address, height } of versions) {
    try {
      const account = await context.reader.getAccount(address, { height, signal: context.signal })
      const code = account?.contracts.values().find((one) => contractCodeHash(one).equals(codeHash))
      if (code !== undefined) return answered(codeHash, code, 'chain', context.network)
    } catch (error) {
      if (!(error instanceof StateNotServedError)) throw error
      unserved = error
    }
  }
  if (unserved !== undefined) return { kind: 'failed', code: unserved.code, message: unserved.message }
  return {
    kind: 'none',
    code: 'replaced-in-block',
    message: 'No account has the code at the end of its block',
  }
}

function answered(codeHash: Buffer, code: Buffer, foundIn: string, network: Network): Outcome {
  const text = code.toString('utf8')
  const storable = payloadText(text)
  const isExact = storable === text && Buffer.from(text).equals(code)
  const { kind, imports } = describeContract(text, network)
  const store: Statement = {
    text: `insert into app.contract_code (code_hash, code, code_bytes, kind, imports, found_in) values ($1, $2, $3,
      $4, $5, $6)
      on conflict (code_hash) do nothing`,
    values: [codeHash, storable, isExact ? null : code, kind, imports, foundIn],
  }
  return { kind: 'answered', values: {}, writes: [store] }
}

const codes: EnrichmentTable<CodeRow> = {
  table: 'app.contract_code_questions',
  key: [{ column: 'code_hash', type: 'bytea' }],
  columns: [],
  batch: 10,
  refresh: refreshPolicy(neverMs),
  scan: {
    position: ['block_height', 'tx_index', 'event_index'],
    text: `
      select code_hash, block_height, tx_index, event_index from app.contract_versions
      where (block_height, tx_index, event_index) > (coalesce($2::bigint, -1), coalesce($3::integer, 0),
        coalesce($4::integer, 0))
      order by block_height, tx_index, event_index limit $1`,
  },
  newest:
    'select code_hash from app.contract_versions order by block_height desc, tx_index desc, event_index desc limit $1',
  details: `
    select k.code_hash, v.versions
    from unnest($1::bytea[]) as k (code_hash)
    cross join lateral (
      select jsonb_agg(jsonb_build_object('address', w.address, 'height', w.block_height, 'arguments', t.arguments,
        'script', s.script_text)
        order by w.block_height desc) as versions
      from (
        select v.address, v.block_height, v.tx_index from app.contract_versions v
        where v.code_hash = k.code_hash and v.change <> 'removed' order by v.block_height desc limit 3
      ) w
      left join raw.transactions t on t.block_height = w.block_height and t.tx_index = w.tx_index
      left join raw.scripts s on s.script_hash = t.script_hash
    ) v
    where v.versions is not null`,
  query: (rows, context) => Promise.all(rows.map((row) => findCode(row, context))),
}

export const contractCodeWorker: EnrichmentWorker = {
  name: 'contract_code_worker',
  description: 'Contract code, from deploying transactions or accounts',
  tables: [codes],
}
