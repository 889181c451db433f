import { expect } from 'chai'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { ApiError } from '../../../platform/errors.ts'
import type { SqlValue } from '../sql/sql-runner.ts'
import { ParquetBuilder, parquetLimits } from './parquet-builder.ts'
import type { ParquetLimits } from './parquet-builder.ts'

interface Built {
  readonly file: ArrayBuffer
  readonly rowCount: number
}

function build(
  types: Readonly<Record<string, string>>,
  batches: readonly (readonly (readonly SqlValue[])[])[],
  limits: Partial<ParquetLimits> = {},
): Built {
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }))
  const builder = new ParquetBuilder(columns, { ...parquetLimits, maxBytes: 1e8, ...limits })
  const parts: Uint8Array[] = []
  let rowCount = 0
  for (const rows of batches) {
    const written = builder.add(rows)
    parts.push(written.bytes)
    rowCount += written.rowCount
    if (written.rowCount < rows.length) break
  }
  parts.push(builder.end())
  return { file: new Uint8Array(Buffer.concat(parts)).buffer, rowCount }
}

const read = (file: ArrayBuffer): Promise<Record<string, unknown>[]> => parquetReadObjects({ file, utf8: false })

describe('Parquet files', () => {
  it('have the values of each type', async () => {
    const types = {
      ok: 'bool',
      small: 'int4',
      large: 'int8',
      float: 'float8',
      amount: 'numeric',
      id: 'bytea',
      day: 'date',
      at: 'timestamptz',
      data: 'jsonb',
      list: '_text',
      name: 'text',
    }
    const row = [
      true,
      -7,
      '9223372036854775807',
      'NaN',
      '0.10',
      '0x00ff',
      '2026-11-20',
      '2026-11-20T09:14:03.512345Z',
      { a: [1] },
      ['x', null],
      '名\u{1F600}',
    ]
    const nothing = row.map(() => null)
    const [first = {}, second = {}] = await read(build(types, [[row, nothing]]).file)
    expect(first).to.deep.include({
      ok: true,
      small: -7,
      large: 9223372036854775807n,
      amount: '0.10',
      data: '{"a":[1]}',
      list: '["x",null]',
      name: '名\u{1F600}',
    })
    expect(first['float']).to.satisfy(Number.isNaN)
    expect(Buffer.from(first['id'] as Uint8Array).toString('hex')).to.equal('00ff')
    expect((first['day'] as Date).toISOString()).to.equal('2026-11-20T00:00:00.000Z')
    expect((first['at'] as Date).toISOString()).to.equal('2026-11-20T09:14:03.512Z')
    expect(Object.values(second)).to.deep.equal(nothing)
  })

  it('keep microseconds, and refuse times that Parquet does not have', async () => {
    const values = ['1969-12-31T23:59:59.999999Z', '2026-11-20T09:14:03.5Z']
    const { file } = build({ at: 'timestamp' }, [values.map((value) => [value])])
    const micros: bigint[] = []
    const timestampFromMicroseconds = (at: bigint): Date => new Date(micros.push(at))
    await parquetReadObjects({ file, parsers: { timestampFromMicroseconds } })
    expect(micros).to.include.members([-1n, 1_795_166_043_500_000n])
    for (const [type, value] of [
      ['timestamp', 'infinity'],
      ['timestamptz', '12026-11-20T09:14:03Z'],
      ['date', '0044-03-15 BC'],
    ] as const)
      expect(() => build({ a: type }, [[[value]]])).to.throw(ApiError, 'Column "a" has the value')
    expect(() => build({}, [])).to.throw(ApiError, 'at least one column')
  })

  it('have columns of any name, and no rows', async () => {
    const types = Object.fromEntries(['?column?', 'a.b', '__proto_', 'root', '名'].map((name) => [name, 'int4']))
    expect(await read(build(types, [[]]).file)).to.deep.equal([])
    const [row] = await read(build(types, [[[1, 2, 3, 4, 5]]]).file)
    expect(Object.values(row ?? {})).to.deep.equal([1, 2, 3, 4, 5])
  })

  it('have row groups of limited size', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => [String(i), 'x'.repeat(92)])
    const { file } = build({ n: 'int8', text: 'text' }, [rows.slice(0, 300), rows.slice(300)], { groupBytes: 10_800 })
    expect(parquetMetadata(file).row_groups.map((group) => Number(group.num_rows))).to.deep.equal(
      Array.from({ length: 10 }, () => 100),
    )
    expect((await read(file)).map(({ n }) => Number(n))).to.deep.equal(rows.map((_, i) => i))
  })

  it('never exceed the limit of bytes', async () => {
    const cell = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.constant(null))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 3000, max: 20_000 }),
        fc.integer({ min: 1000, max: 5000 }),
        async (rows, maxBytes, groupBytes) => {
          const { file, rowCount } = build({ a: 'text', b: 'text' }, [rows], { maxBytes, groupBytes })
          expect(file.byteLength).to.be.at.most(maxBytes)
          expect(await read(file)).to.have.length(rowCount)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('are cut at the limit of column chunks', () => {
    const rows = Array.from({ length: 100 }, () => [1, 2])
    const types = { a: 'int4', b: 'int4' }
    expect(build(types, [rows], { groupBytes: 160, maxChunks: 20 }).rowCount).to.equal(100)
    expect(build(types, [rows], { groupBytes: 160, maxChunks: 19 }).rowCount).to.equal(90)
  })
})
