import type { AskWorld } from './fake-ask.ts'

/** Made-up responses of a query service, for the page. */

const days = Array.from({ length: 14 }, (_, i) => ({
  day: `2026-11-${String(i + 7).padStart(2, '0')}`,
  transactions: String(10_400 + ((i * 7919) % 4200)),
  fees: (812.5 + i * 13.0421).toFixed(8),
}))

export const daysSql = `SELECT date_trunc('day', timestamp)::date AS day, -- in UTC
       count(*) AS transactions, sum(fee) AS fees
FROM raw.transactions
WHERE timestamp > now() - interval '14 days' AND status = 'SEALED'
GROUP BY 1
ORDER BY 1`

/** An executed statement in the response format. */
export function ranSql(
  sql: string,
  types: Readonly<Record<string, string>>,
  results: readonly object[],
  more: object = {},
): object {
  return {
    target: 'indexer',
    sql,
    columns: Object.keys(types),
    column_types: Object.values(types),
    results,
    rows: results,
    row_count: results.length,
    truncated: false,
    truncated_by: null,
    error: null,
    error_code: null,
    sql_state: null,
    error_position: null,
    error_hint: null,
    duration_ms: 12.4,
    ...more,
  }
}

/** The same for a question. */
export function answered(question: string, ran: object): object {
  return {
    ...ran,
    question,
    attempts: [{ sql: daysSql, error: null }],
    model: 'anthropic/claude-sonnet-4-6',
    prompt_version: '3f9c2a17be04',
    duration_ms: 3140.5,
  }
}

export const dayTypes = { day: 'date', transactions: 'int8', fees: 'numeric' } as const

const question = 'How many transactions were there on each of the last 14 days?'

export function askWorld(): AskWorld {
  const ran = ranSql(daysSql, dayTypes, days)
  const pairs = [
    question,
    'Which accounts sent the most FLOW this week?',
    '过去24小时有多少笔失败的交易？',
    'Top 10 tokens by holders',
    'Which contracts were deployed yesterday?',
    'What did validators earn in the last epoch?',
  ]
  return {
    health: {
      status: 'ok',
      stuck_sessions: 0,
      targets: ['indexer', 'evm'],
      model: { provider: 'anthropic', name: 'claude-sonnet-4-6', is_scripted: false },
      remedy: null,
      needs_token: false,
      sends_email: true,
    },
    replies: {
      ask: { body: answered(question, ran) },
      generate_sql: {
        body: {
          target: 'indexer',
          question,
          sql: daysSql,
          attempts: [{ sql: daysSql, error: null }],
          model: 'm',
          error: null,
        },
      },
      run_sql: { body: ran },
      explain_sql: {
        body: {
          sql: daysSql,
          explanation: 'Transactions and fees of each day.\n\nOnly sealed ones of the last 14 days.',
        },
      },
      rows: {
        body: ranSql('SELECT * FROM "raw"."blocks" LIMIT 5', { height: 'int8', id: 'bytea' }, [
          { height: '137390146', id: `0x${'ab'.repeat(32)}` },
        ]),
      },
    },
    examples: pairs.map((text, i) => ({
      id: String(i),
      target: 'indexer',
      question: text,
      sql: i === 0 ? daysSql : 'SELECT 1',
    })),
    schema: {
      data: schemaTables(),
      functions: ['count', 'date_trunc', 'sum'],
      metrics: [
        { name: 'tx_count', title: 'Transactions', definition: 'All transactions.', unit: 'count', sql: daysSql },
        { name: 'fees', title: 'Fees', definition: 'Deducted transaction fees.', unit: 'FLOW', sql: 'SELECT 2' },
      ],
    },
    history: pairs.slice(0, 4).map((text, i) => ({
      id: String(i),
      kind: 'ask',
      target: i === 3 ? 'evm' : 'indexer',
      question: i === 1 ? null : text,
      sql: daysSql,
      row_count: i === 2 ? null : 14 * (i + 1),
      error: i === 2 ? 'column "hieght" does not exist' : null,
      timestamp: '2026-11-21T12:00:00.000Z',
    })),
    alerts: [],
    queries: [
      {
        id: 'q',
        name: 'Blocks since a day',
        target: 'indexer',
        question: '',
        sql: 'SELECT count(*) FROM raw.blocks\nWHERE timestamp >= {{since}} AND height < {{max_height}} AND status = {{status}}',
        parameters: [
          { name: 'since', type: 'date', value: '2026-11-01' },
          { name: 'max_height', type: 'number', value: '100' },
          { name: 'status', type: 'text', value: 'SEALED' },
        ],
        updated_at: '2026-11-20T12:00:00.000Z',
      },
    ],
    dashboards: [],
    tiles: {},
    exports: [
      exportState({ status: 'waiting' }),
      exportState({ status: 'running', row_count: 41_200, bytes: 3_310_442 }),
    ],
    approved: [{ id: 'k', target: 'indexer', question, sql: daysSql, approved_at: '2026-11-20T12:00:00.000Z' }],
  }
}

export function dashboardTile(more: {
  readonly id: string
  readonly query_id: string
  readonly [field: string]: unknown
}): AskWorld['dashboards'][number]['tiles'][number] {
  return { title: '', parameters: [], view: 'table', width: 1, ...more }
}

/** A dashboard with a chart, a number, a table and a tile of a deleted query. */
export function dashboardWorld(): Partial<AskWorld> {
  const { queries } = askWorld()
  const facts = { target: 'indexer', question: '', parameters: [], updated_at: '2026-11-20T12:00:00.000Z' }
  return {
    queries: [...queries, { id: 'days', name: 'Transactions by day', sql: daysSql, ...facts }],
    dashboards: [
      {
        id: '0c4e7d1fa9b85263',
        name: 'Network today',
        refresh_seconds: 300,
        tiles: [
          dashboardTile({ id: '00000001', query_id: 'days', view: 'chart', width: 2 }),
          dashboardTile({ id: '00000002', query_id: 'q', title: 'Blocks' }),
          dashboardTile({ id: '00000003', query_id: 'days', title: 'By day', width: 2 }),
          dashboardTile({ id: '00000004', query_id: 'gone' }),
        ],
        link: 'e'.repeat(32),
        updated_at: '2026-11-20T12:00:00.000Z',
      },
    ],
    tiles: {
      days: { body: tileResult(dayTypes, days) },
      q: { body: tileResult({ blocks: 'int8' }, [{ blocks: '2160412' }]) },
    },
  }
}

export function tileResult(types: Readonly<Record<string, string>>, results: readonly object[]): object {
  return {
    columns: Object.keys(types),
    column_types: Object.values(types),
    results,
    row_count: results.length,
    truncated: false,
    truncated_by: null,
    computed_at: new Date().toISOString(),
    expires_in: 280,
  }
}

export function exportState(more: object): object {
  return {
    id: '5f2c9e0a17b3d6845f2c9e0a17b3d684',
    format: 'csv',
    status: 'running',
    row_count: 0,
    bytes: 0,
    truncated_by: null,
    error: null,
    error_code: null,
    sql_state: null,
    error_position: null,
    error_hint: null,
    ...more,
  }
}

function schemaTables(): readonly object[] {
  const table = (
    schema: string,
    name: string,
    rows: number | null,
    columns: Readonly<Record<string, string>>,
  ): object => ({
    schema,
    name,
    kind: 'table',
    comment: `Rows of ${name}.`,
    approximate_rows: rows,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column,
      type,
      is_nullable: false,
      comment: type === 'bytea' ? null : `The ${column}, in Flow's unit.`,
    })),
    keys: [],
    indexes: [],
  })
  return [
    table('own_top_shot', 'sales', 41_234, { moment_id: 'numeric', price: 'numeric' }),
    table('app', 'tokens', 812, { name: 'text', symbol: 'text' }),
    table('app', 'ft_transfers', 412_000_000, { height: 'bigint', amount: 'numeric' }),
    table('raw', 'blocks', 137_390_146, { height: 'bigint', id: 'bytea', timestamp: 'timestamp with time zone' }),
    table('raw', 'transactions', null, { id: 'bytea', status: 'text', fee: 'numeric', timestamp: 'timestamptz' }),
  ]
}

/** Untrusted names, numbers beyond a double, and truncated rows. */
export function hostileRun(): object {
  const name = '<img src=x onerror=alert(1)>\u202E=HYPERLINK("http://evil.example","x")'
  const rows = Array.from({ length: 250 }, (_, i) => ({
    name: i === 0 ? name : i === 1 ? '=1+1' : `Token ${i}`,
    amount: i === 2 ? null : `${9_007_199_254_740_993n + BigInt((i * 37) % 250)}`,
    address: `0x${i.toString(16).padStart(16, '0')}`,
    payload: { id: String(i), text: 'x'.repeat(i === 0 ? 600 : 3) },
    count_2: i,
  }))
  const types = { name: 'text', amount: 'numeric', address: 'text', payload: 'jsonb', count_2: 'int4' }
  return ranSql('SELECT * FROM app.tokens', types, rows, { truncated: true, truncated_by: 'rows' })
}
