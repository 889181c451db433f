import { expect } from 'chai'
import { Client } from 'pg'
import { pino } from 'pino'
import { indexerTables } from '../../../../src/assistant/query/sql/readable-tables.ts'
import { chooseReader, readerRole, scramVerifier } from '../../../../src/assistant/query/sql/reader.ts'
import { SqlRefusal } from '../../../../src/assistant/query/sql/sql-errors.ts'
import { openSqlRunner } from '../../../../src/assistant/query/sql/sql-runner.ts'
import { migrate } from '../../../../src/platform/db/migrate.ts'
import { createPool } from '../../../../src/platform/db/pool.ts'
import { createEmptyDatabase, createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'

/**
 * Private tables: keys, webhooks, farm state, sign-ins and user data. A table in neither list fails
 * the test below.
 */
const secretTables = [
  'app.alert_mail_tokens',
  'app.alert_mails',
  'app.alert_runs',
  'app.alerts',
  'app.asking_walks',
  'app.backfill_requests',
  'app.chat_feedback',
  'app.chat_shares',
  'app.contract_code_questions',
  'app.contract_code_wanted',
  'app.dashboards',
  'app.developer_keys',
  'app.fault_drills',
  'app.indexing_checkpoints',
  'app.nft_holder_checks',
  'app.outgoing_mails',
  'app.own_workers',
  'app.price_feeds',
  'app.refused_mailboxes',
  'app.saved_queries',
  'app.schema_migrations',
  'app.script_templates',
  'app.webhook_deliveries',
  'app.webhook_endpoints',
  'app.webhook_failures',
  'app.webhook_subscriptions',
  'app.webhook_turns',
  'app.webhook_usage',
  'app.worker_leases',
  'editor.connections',
  'editor.deliveries',
  'editor.deployments',
  'editor.environments',
  'editor.install_states',
  'editor.installations',
  'projects.files',
  'projects.projects',
  'projects.saves',
  'raw.failing_heights',
  'wallet_auth.audit_log',
  'wallet_auth.client_codes',
  'wallet_auth.email_changes',
  'wallet_auth.flow_states',
  'wallet_auth.identities',
  'wallet_auth.known_clients',
  'wallet_auth.one_time_tokens',
  'wallet_auth.outgoing_mails',
  'wallet_auth.rate_limits',
  'wallet_auth.refresh_tokens',
  'wallet_auth.sessions',
  'wallet_auth.signing_keys',
  'wallet_auth.users',
  'wallet.account_recoveries',
  'wallet.accounts',
  'wallet.app_policies',
  'wallet.app_spending',
  'wallet.audit_log',
  'wallet.challenges',
  'wallet.contacts',
  'wallet.device_requests',
  'wallet.further_accounts',
  'wallet.passkeys',
  'wallet.payer_transactions',
  'wallet.recoveries',
  'wallet.signatures',
  'wallet.user_handles',
]

const log = pino({ level: 'silent' })

describe('read-only role for untrusted SQL', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  /** A login with the given rights, dropped at the end. */
  async function withLogin(
    name: string,
    grants: readonly string[],
    use: (url: string) => Promise<void>,
  ): Promise<void> {
    await database.pool.query([`CREATE ROLE ${name} LOGIN PASSWORD 'of the test'`, ...grants].join(';'))
    try {
      const url = new URL(database.url)
      url.username = name
      url.password = 'of the test'
      await use(url.href)
    } finally {
      await database.pool.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`)
    }
  }

  it('can read every public table and no other', async () => {
    const { rows } = await database.pool.query<{ name: string; readable: boolean; writable: boolean }>(
      `SELECT c.oid::regclass::text AS name, has_table_privilege($1, c.oid, 'SELECT') AS readable,
         has_table_privilege($1, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') AS writable
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
       WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND n.nspname !~ '^(pg_|information_schema)'
       ORDER BY 1`,
      [readerRole],
    )
    expect(rows.map(({ name }) => name)).to.have.members([...indexerTables, ...secretTables])
    expect(rows.filter(({ readable }) => readable).map(({ name }) => name)).to.have.members([...indexerTables])
    expect(rows.filter(({ writable }) => writable)).to.deep.equal([])
  })

  it('can use no sequence, create nothing in a schema, and call no SECURITY DEFINER function of flowfarm', async () => {
    const { rows } = await database.pool.query<{ what: string }>(
      `SELECT oid::regclass::text AS what FROM pg_class WHERE CASE relkind WHEN 'S' THEN has_sequence_privilege($1, oid, 'USAGE, SELECT, UPDATE') END
       UNION ALL SELECT nspname FROM pg_namespace WHERE has_schema_privilege($1, oid, 'CREATE')
       UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE prosecdef AND has_function_privilege($1, oid, 'EXECUTE')`,
      [readerRole],
    )
    expect(rows).to.deep.equal([])
  })

  it('can read each of its tables through all functions that views call', async () => {
    const reader = await chooseReader({ url: database.url, readable: indexerTables, isOurs: true, log })
    const client = new Client({ connectionString: reader.url })
    await client.connect()
    try {
      for (const table of indexerTables) await client.query(`SELECT * FROM ${table} LIMIT 1`)
    } finally {
      await client.end()
    }
  })

  it('is a separate login even when extensions and others grant tables to PUBLIC, and such grants are reported', async () => {
    await database.pool.query(`
      CREATE TABLE public.of_others (secret text); GRANT SELECT, INSERT ON public.of_others TO PUBLIC;
      CREATE FUNCTION public.reads_keys() RETURNS bigint STABLE SECURITY DEFINER LANGUAGE sql AS 'select count(*) from app.developer_keys';
      CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER elsewhere FOREIGN DATA WRAPPER nowhere;
      CREATE FOREIGN TABLE public.far_away (a int) SERVER elsewhere; GRANT SELECT ON public.far_away TO PUBLIC`)
    const output: string[] = []
    const recording = pino({ level: 'warn' }, { write: (line) => void output.push(line) })
    const runner = await openSqlRunner({ target: 'indexer', url: database.url, log: recording })
    try {
      expect((await runner.run('select session_user')).rows).to.deep.equal([
        [`${readerRole}_of_${new URL(database.url).username}`],
      ])
      expect(output.join('')).to.include('public.of_others').and.include('public.far_away').and.include('REVOKE ALL')
      for (const sql of [
        'select * from public.of_others',
        'select * from of_others',
        'select * from public.far_away',
        'select public.reads_keys()',
        'select reads_keys()',
        'select null::public.of_others',
      ]) {
        expect(await runner.run(sql).catch((error: unknown) => error), sql).to.be.instanceOf(SqlRefusal)
      }
    } finally {
      await runner.end()
      await database.pool.query(
        'DROP TABLE public.of_others; DROP FUNCTION public.reads_keys; DROP FOREIGN DATA WRAPPER nowhere CASCADE',
      )
    }
  })

  it("is a separate login when the program's account has more rights", async () => {
    const reader = await chooseReader({ url: database.url, readable: indexerTables, isOurs: true, log })
    expect(reader.role).to.equal(undefined)
    const client = new Client({ connectionString: reader.url })
    await client.connect()
    try {
      const { rows } = await client.query(
        'SELECT session_user::text AS login, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user',
      )
      expect(rows).to.deep.equal([{ login: new URL(reader.url).username, rolsuper: false, rolcreaterole: false }])
      const refused = await client.query('SET ROLE flowfarm').catch((error: unknown) => error)
      expect(refused).to.have.property('code', '42501')
    } finally {
      await client.end()
    }
  })

  it('has one login per account of a server, with a password derived from the account', async () => {
    await withLogin('ask_owner', ['ALTER ROLE ask_owner SUPERUSER'], async (url) => {
      const first = new URL((await chooseReader({ url, readable: indexerTables, isOurs: true, log })).url)
      expect(first.username).to.equal(`${readerRole}_of_ask_owner`)
      expect(first.password).to.have.length.above(40)
      const kept = await database.pool.query<{ verifier: string }>(
        'SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = $1',
        [first.username],
      )
      expect(kept.rows[0]?.verifier).to.match(/^SCRAM-SHA-256\$4096:.+\$.+:.+$/)
      const again = new URL((await chooseReader({ url, readable: indexerTables, isOurs: true, log })).url)
      expect(again.href).to.equal(first.href)
      await database.pool.query(`DROP ROLE ${first.username}`)
    })
  })

  it('is recreated when it is dropped while the service runs', async () => {
    await withLogin('ask_dropping', ['ALTER ROLE ask_dropping SUPERUSER'], async (url) => {
      const runner = await openSqlRunner({ target: 'indexer', url, log })
      const login = `${readerRole}_of_ask_dropping`
      const dropped = async (): Promise<void> => void (await database.pool.query(`DROP ROLE ${login}`))
      try {
        await dropped()
        // The open connection now belongs to a dropped role.
        const denied = await runner.run('select count(*) from raw.blocks').catch((error: unknown) => error)
        if (denied instanceof Error) expect(denied).to.have.property('sqlState', '42501')
        const answers = await Promise.all(
          [1, 2, 3].map(() => runner.run('select count(*), session_user from raw.blocks')),
        )
        expect(answers.flatMap(({ rows }) => rows)).to.deep.equal([
          ['0', login],
          ['0', login],
          ['0', login],
        ])
      } finally {
        await runner.end()
        await dropped()
      }
    })
  })

  it('is assumed within the transaction on a read-only server, such as a standby', async () => {
    await withLogin(
      'ask_on_standby',
      ['ALTER ROLE ask_on_standby SUPERUSER', 'ALTER ROLE ask_on_standby SET default_transaction_read_only = on'],
      async (url) => {
        expect(await chooseReader({ url, readable: indexerTables, isOurs: true, log })).to.deep.equal({
          url,
          role: readerRole,
        })
        const runner = await openSqlRunner({ target: 'indexer', url, log })
        try {
          expect((await runner.run('select count(*), current_user from raw.blocks')).rows).to.deep.equal([
            ['0', readerRole],
          ])
        } finally {
          await runner.end()
        }
      },
    )
  })

  it('is assumed within the transaction when no login can be created, with a warning', async () => {
    const output: string[] = []
    const telling = pino({ level: 'warn' }, { write: (line) => void output.push(line) })
    await withLogin(
      'ask_writer',
      [
        'GRANT USAGE ON SCHEMA app TO ask_writer',
        'GRANT INSERT ON app.prices TO ask_writer',
        `GRANT ${readerRole} TO ask_writer`,
      ],
      async (url) => {
        const reader = await chooseReader({ url, readable: indexerTables, isOurs: true, log: telling })
        expect(reader).to.deep.equal({ url, role: readerRole })
        expect(output.join(''))
          .to.include('INDEXER_DATABASE_URL')
          .and.to.include('ask_writer')
          .and.not.to.include('of the test')
      },
    )
  })

  it('is unused when the account of the URL can only read public data', async () => {
    await withLogin('ask_reader_by_hand', [`GRANT ${readerRole} TO ask_reader_by_hand`], async (url) => {
      expect(await chooseReader({ url, readable: indexerTables, isOurs: true, log })).to.deep.equal({
        url,
        role: undefined,
      })
    })
    await withLogin(
      'ask_sees_keys',
      [
        'GRANT USAGE ON SCHEMA app TO ask_sees_keys',
        'GRANT SELECT ON app.developer_keys TO ask_sees_keys',
        `GRANT ${readerRole} TO ask_sees_keys`,
      ],
      async (url) => {
        expect(await chooseReader({ url, readable: indexerTables, isOurs: true, log })).to.deep.equal({
          url,
          role: readerRole,
        })
      },
    )
  })

  it('drops superuser rights in a foreign database and creates nothing there', async () => {
    const logins = 'SELECT count(*)::int AS count FROM pg_roles'
    const earlier = (await database.pool.query<{ count: number }>(logins)).rows
    const reader = await chooseReader({ url: database.url, readable: ['public.blocks'], isOurs: false, log })
    expect(reader).to.deep.equal({ url: database.url, role: 'pg_read_all_data' })
    expect((await database.pool.query<{ count: number }>(logins)).rows).to.deep.equal(earlier)
  })

  it('receives missing grants when it was created after the migrations', async () => {
    await database.pool.query(`REVOKE SELECT ON raw.blocks FROM ${readerRole}`)
    await chooseReader({ url: database.url, readable: indexerTables, isOurs: true, log })
    const { rows } = await database.pool.query(
      `SELECT has_table_privilege('${readerRole}', 'raw.blocks', 'SELECT') AS may`,
    )
    expect(rows).to.deep.equal([{ may: true }])
  })
  it('is optional for migrations of an account that cannot create roles, and a warning says what to run', async () => {
    const empty = await createEmptyDatabase()
    try {
      // Simulates a server without the role by renaming it.
      await database.pool.query(`ALTER ROLE ${readerRole} RENAME TO hidden_reader`)
      await withLogin(
        'ask_plain_owner',
        [`ALTER DATABASE "${new URL(empty.url).pathname.slice(1)}" OWNER TO ask_plain_owner`],
        async (serverUrl) => {
          const url = new URL(empty.url)
          url.username = new URL(serverUrl).username
          const pool = createPool(url.href, { max: 1 })
          try {
            await migrate(pool, new URL('../../../../migrations', import.meta.url).pathname)
          } finally {
            await pool.end()
          }
          const output: string[] = []
          const telling = pino({ level: 'warn' }, { write: (line) => void output.push(line) })
          expect(
            await chooseReader({ url: url.href, readable: indexerTables, isOurs: true, log: telling }),
          ).to.deep.equal({ url: url.href, role: undefined })
          expect(output.join('')).to.include('CREATE ROLE flowfarm_reader NOLOGIN')

          await database.pool.query(
            `ALTER ROLE hidden_reader RENAME TO ${readerRole}; GRANT ${readerRole} TO ask_plain_owner`,
          )
          expect(await chooseReader({ url: url.href, readable: indexerTables, isOurs: true, log })).to.deep.equal({
            url: url.href,
            role: readerRole,
          })
          await empty.pool.query('DROP OWNED BY ask_plain_owner CASCADE; REASSIGN OWNED BY ask_plain_owner TO flowfarm')
        },
      )
    } finally {
      await database.pool.query(
        `DO $$ BEGIN ALTER ROLE hidden_reader RENAME TO ${readerRole}; EXCEPTION WHEN undefined_object THEN NULL; END $$`,
      )
      await empty.drop()
    }
  })

  it('has a password in the form that the server itself would store', async () => {
    await database.pool.query(
      "SET password_encryption = 'scram-sha-256'; CREATE ROLE ask_scram PASSWORD 'a password of the test'",
    )
    try {
      const { rows } = await database.pool.query<{ kept: string }>(
        "SELECT rolpassword AS kept FROM pg_authid WHERE rolname = 'ask_scram'",
      )
      const [, salt = ''] = /:(.+)\$/.exec(rows[0]?.kept ?? '') ?? []
      expect(scramVerifier('a password of the test', Buffer.from(salt, 'base64'))).to.equal(rows[0]?.kept)
    } finally {
      await database.pool.query('DROP ROLE ask_scram')
    }
  })
})
