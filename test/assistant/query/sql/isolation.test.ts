import { existsSync } from 'node:fs'
import { expect } from 'chai'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { indexerTables } from '../../../../src/assistant/query/sql/readable-tables.ts'
import { chooseReader, readerRole } from '../../../../src/assistant/query/sql/reader.ts'
import { readKnownTypes } from '../../../../src/assistant/query/sql/result-types.ts'
import type { SqlAnswer } from '../../../../src/assistant/query/sql/sql-runner.ts'
import { StatementRunner } from '../../../../src/assistant/query/sql/statement-runner.ts'
import { statementSlots } from '../../../../src/assistant/query/sql/statement-slots.ts'
import { createPool } from '../../../../src/platform/db/pool.ts'
import { ApiError } from '../../../../src/platform/errors.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { mutated } from './corpora/mutations.ts'
import { refusedInUnusualPlaces } from './corpora/refused-in-unusual-places.ts'
import { refusedStatements } from './corpora/refused-statements.ts'

/** Inserted into every private table; as hex for bytes. */
const marker = 'f10afa11deadc0de'

/** Everything a statement could leave behind or change. */
const worldSql = `
  SELECT (SELECT count(*) FROM pg_class WHERE relpersistence <> 't' AND relnamespace::regnamespace::text !~ '^pg_(temp|toast_temp)') AS relations,
    (SELECT md5(string_agg(relname || coalesce(relacl::text, ''), ',' ORDER BY oid)) FROM pg_class WHERE relnamespace IN ('app'::regnamespace, 'raw'::regnamespace)) AS grants,
    (SELECT count(*) FROM pg_proc) AS functions, (SELECT count(*) FROM pg_type) AS types, (SELECT count(*) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp') AS schemas,
    (SELECT count(*) FROM pg_largeobject_metadata) AS objects, (SELECT count(*) FROM pg_collation) AS collations, (SELECT count(*) FROM pg_extension) AS extensions,
    (SELECT md5(string_agg(r::text, ',' ORDER BY r.oid)) FROM pg_roles AS r) AS roles, (SELECT count(*) FROM pg_auth_members) AS members,
    (SELECT count(*) FROM pg_db_role_setting) AS settings, (SELECT last_value || is_called::text FROM app.lease_generation) AS sequence,
    (SELECT md5(string_agg(k::text, ',')) FROM app.developer_keys AS k) AS keys, (SELECT count(*) FROM raw.blocks) AS blocks,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks, (SELECT count(*) FROM pg_prepared_xacts) AS prepared,
    (SELECT count(*) FROM pg_description) AS comments, pg_notification_queue_usage() AS messages`

const sessionSql = `SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'search_path', 'role', 'session_authorization',
  'transaction_read_only', 'default_transaction_read_only', 'standard_conforming_strings', 'bytea_output', 'TimeZone', 'work_mem', 'lock_timeout') ORDER BY 1`

for (const { wall, isLogin } of [
  { wall: 'a login of its own', isLogin: true },
  { wall: 'SET ROLE inside the transaction', isLogin: false },
]) {
  describe(`database protection behind the gate, with ${wall}`, () => {
    let database: TestDatabase
    let pool: Pool
    let runner: StatementRunner
    before(async () => {
      database = await createTestDatabase()
      await database.pool.query(`
        INSERT INTO app.developer_keys (key_hash, prefix, name, tier) VALUES (decode(repeat('${marker}', 4), 'hex'), '${marker}'::varchar(12), '${marker}', 'free');
        INSERT INTO app.webhook_endpoints (key_id, url, description, secret) SELECT id, 'https://${marker}.example/', '${marker}', decode(repeat('${marker}', 3), 'hex') FROM app.developer_keys`)
      const reader = isLogin
        ? await chooseReader({
            url: database.url,
            readable: indexerTables,
            isOurs: true,
            log: pino({ level: 'silent' }),
          })
        : { url: database.url, role: readerRole }
      expect(reader.role).to.equal(isLogin ? undefined : readerRole)
      pool = createPool(reader.url, {
        max: 1,
        statementTimeoutMs: 60,
        settings: { search_path: 'app,raw,analytics', default_transaction_read_only: 'on' },
      })
      const client = await pool.connect()
      const types = await readKnownTypes(client)
      client.release()
      runner = new StatementRunner({
        connect: () => pool.connect(),
        types,
        role: reader.role,
        slots: statementSlots(1, 10),
        timeoutMs: 60,
        maxBytes: 100_000,
        cancel: () => Promise.resolve(),
        endSession: () => Promise.resolve(),
        onLost: () => undefined,
      })
    })
    after(async () => {
      await pool.end()
      await database.drop()
    })

    const run = (sql: string): Promise<SqlAnswer> => runner.run({ sql, maxRows: 500, signal: undefined })

    async function tried(sql: string): Promise<string | undefined> {
      try {
        const answer = JSON.stringify(await run(sql))
        return answer.includes(marker) ? answer : undefined
      } catch (error) {
        if (error instanceof ApiError) return undefined
        throw error
      }
    }

    /**
     * With SET ROLE only the gate prevents resetting the role; a login cannot be left.
     */
    const goesBack = (sql: string): boolean => !isLogin && /set_config|role|session authorization/i.test(sql)

    it('lets no statement of the corpus and no mutation of it read a secret or leave a change', async () => {
      const world = (await database.pool.query(worldSql)).rows
      const session = await run(sessionSql)
      const all = [...Object.values(refusedStatements), ...Object.values(refusedInUnusualPlaces)]
        .flat()
        .filter((sql) => !goesBack(sql))
      const seen: string[] = []
      for (const sql of [...all, ...mutated(all, 200, 21)]) {
        const leak = await tried(sql)
        if (leak !== undefined) seen.push(`${sql}: ${leak.slice(0, 200)}`)
      }
      expect(seen).to.deep.equal([])
      expect((await database.pool.query(worldSql)).rows).to.deep.equal(world)
      expect((await run(sessionSql)).rows).to.deep.equal(session.rows)
      expect(existsSync('/tmp/owned') || existsSync('/tmp/blocks')).to.equal(false)
    })

    it('discards everything that a statement sets, creates, locks or prepares', async () => {
      const session = await run(sessionSql)
      for (const sql of [
        "SELECT set_config('statement_timeout', '0', false), set_config('search_path', 'public', false), set_config('default_transaction_read_only', 'off', false)",
        'SELECT pg_advisory_lock(77)',
        'SELECT 1 AS a INTO TEMP loot',
        'SELECT lo_create(0)',
        'LISTEN x',
        'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
        'PREPARE p AS SELECT 1',
        'SET statement_timeout = 0',
        'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
        'SET standard_conforming_strings = off',
      ])
        await tried(sql)
      expect((await run(sessionSql)).rows).to.deep.equal(session.rows)
      const left =
        await run(`SELECT (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') + (SELECT count(*) FROM pg_class WHERE relname = 'loot')
        + (SELECT count(*) FROM pg_listening_channels()) + (SELECT count(*) FROM pg_cursors WHERE name <> '') + (SELECT count(*) FROM pg_prepared_statements WHERE name <> '')`)
      expect(left.rows).to.deep.equal([['0']])
    })

    it('cancels slow statements, including an endless series or recursion', async () => {
      for (const sql of [
        'SELECT pg_sleep(10)',
        'SELECT count(*) FROM generate_series(1, 1e12)',
        'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t',
      ]) {
        const error = await run(sql).catch((thrown: unknown) => thrown)
        expect(error, sql).to.be.instanceOf(ApiError).with.property('code', 'sql-timeout')
      }
    })
  })
}
