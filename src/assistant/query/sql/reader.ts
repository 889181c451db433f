import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg'
import type { ClientBase } from 'pg'
import { asDatabaseError } from '../../../platform/db/errors.ts'
import { clientConfig, query } from '../../../platform/db/pool.ts'
import type { Logger } from '../../../platform/log.ts'

export interface Reader {
  readonly url: string
  readonly role: string | undefined
}

export interface ReaderOptions {
  readonly url: string
  readonly readable: readonly string[]
  readonly isOurs: boolean
  readonly log: Logger
}

const applicationName = 'flowfarm ask'

/**
 * Uses the account of the URL if it may only read public tables, else a dedicated login in the role
 * flowfarm_reader, else SET LOCAL ROLE in each transaction.
 * @throws RetryableError when the database is unreachable
 */
export async function chooseReader(options: ReaderOptions): Promise<Reader> {
  const { url, readable, isOurs, log } = options
  return withClient(url, async (client) => {
    const rights = await rightsOf(client, isOurs ? readable : [])
    if (isOurs && rights.openToAll.length > 0) {
      log.warn(
        { tables: rights.openToAll },
        'PUBLIC can read or change tables that hold no chain data (the SQL gate still refuses them). As their ' +
          'owner, run: REVOKE ALL ON ... FROM PUBLIC',
      )
    }
    const unchanged: Reader = { url, role: undefined }
    if (!rights.mayWrite && !(isOurs && rights.readsMore)) return unchanged
    const reader = isOurs ? await ourReader(client, rights, options) : await foreignReader(client, rights, options)
    if (reader !== undefined && reader.role === undefined) return reader
    log.warn(
      { account: rights.name, role: reader?.role },
      isOurs ? adviceForOurs(rights.name) : adviceForOthers(rights.name),
    )
    return reader ?? unchanged
  })
}

async function ourReader(
  client: Client,
  rights: AccountRights,
  { url, readable, log }: ReaderOptions,
): Promise<Reader | undefined> {
  if (!(await hasReaderRole(client))) return undefined
  const lacking = await grantReading(client, readable)
  if (lacking !== undefined) log.warn({ err: lacking }, `Role ${readerRole} lacks SELECT on some public tables`)
  const login = readerLoginOf(url, rights.name)
  const problem = await whyNotLogin(client, rights, login, readable)
  if (problem === undefined) return { url: login.url, role: undefined }
  log.debug({ err: problem, login: login.name }, 'No reader login available')
  return (await mayTakeOn(client, readerRole)) ? { url, role: readerRole } : undefined
}

/** Creates nothing in databases of other owners; a superuser at least drops its rights. */
async function foreignReader(
  client: Client,
  rights: AccountRights,
  { url }: ReaderOptions,
): Promise<Reader | undefined> {
  const role = 'pg_read_all_data'
  return rights.isSuperuser && (await mayTakeOn(client, role)) ? { url, role } : undefined
}

async function whyNotLogin(
  client: Client,
  rights: AccountRights,
  login: ReaderLogin,
  readable: readonly string[],
): Promise<Error | undefined> {
  try {
    return await whyTooMuch(login, readable)
  } catch (error) {
    if (!isRefusedLogin(error)) return asDatabaseError(error)
  }
  try {
    await makeReaderLogin(client, login, rights.isSuperuser)
    return await whyTooMuch(login, readable)
  } catch (error) {
    return asDatabaseError(error)
  }
}

async function whyTooMuch(login: ReaderLogin, readable: readonly string[]): Promise<Error | undefined> {
  return withClient(login.url, async (client) => {
    const { mayWrite, readsMore } = await rightsOf(client, readable)
    return mayWrite || readsMore ? new Error(`login ${login.name} has more rights than role ${readerRole}`) : undefined
  })
}

async function mayTakeOn(client: Client, role: string): Promise<boolean> {
  try {
    await client.query(`BEGIN; SET LOCAL ROLE ${escapeIdentifier(role)}`)
    return true
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return false
  } finally {
    await client.query('ROLLBACK')
  }
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(clientConfig(url, { applicationName, statementTimeoutMs: 10_000 }))
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

function adviceForOurs(account: string): string {
  return (
    `User SQL runs with the rights of ${account}: only the SQL gate and a read-only transaction, or SET ROLE, ` +
    `restrict it. For a separate login, an administrator must run: CREATE ROLE ${readerRole} NOLOGIN; GRANT ` +
    `${readerRole} TO ${account}; CREATE ROLE chain_reader LOGIN PASSWORD '...' IN ROLE ${readerRole}; and set ` +
    'INDEXER_DATABASE_URL to that login.'
  )
}

function adviceForOthers(account: string): string {
  return (
    `EVM_EXPLORER_DATABASE_URL uses ${account}, which can do more than read. Create a login with SELECT on the ` +
    'chain tables only, and set the URL to it.'
  )
}

export const readerRole = 'flowfarm_reader'

export interface AccountRights {
  readonly name: string
  readonly isSuperuser: boolean
  /** Whether it has server-level rights or may change a table that PUBLIC may not change. */
  readonly mayWrite: boolean
  /**
   * It may read a table that is neither public here, nor granted to PUBLIC (as extension tables are),
   * nor an own table, whose grants change at run time.
   */
  readonly readsMore: boolean
  /** `schema.table` that PUBLIC may read or change. */
  readonly openToAll: readonly string[]
}

export async function rightsOf(client: ClientBase, readable: readonly string[]): Promise<AccountRights> {
  const { rows } = await query<AccountRights>(client, rightsSql, [readable])
  const [rights] = rows
  if (rights === undefined) throw new TypeError('a statement without FROM gives one row')
  return rights
}

const rightsSql = `
  SELECT r.rolname AS name, r.rolsuper AS "isSuperuser",
    r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls
      OR EXISTS (
        SELECT FROM pg_catalog.pg_roles AS special
        WHERE special.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_read_server_files',
            'pg_write_server_files')
          AND pg_has_role(special.oid, 'MEMBER')
      )
      OR coalesce(bool_or(has_table_privilege(t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        AND NOT has_table_privilege('public', t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')), false) AS "mayWrite",
    r.rolsuper OR coalesce(bool_or(has_table_privilege(t.oid, 'SELECT') AND NOT t.name = ANY ($1)
      AND t.name !~ '^own_' AND NOT has_table_privilege('public', t.oid, 'SELECT')), false) AS "readsMore",
    coalesce(array_agg(t.name ORDER BY t.name) FILTER (WHERE NOT t."isOfExtension" AND (
      has_table_privilege('public', t.oid, 'SELECT') AND NOT t.name = ANY ($1)
      OR has_table_privilege('public', t.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))), '{}') AS "openToAll"
  FROM pg_catalog.pg_roles AS r
  LEFT JOIN (
    SELECT c.oid, n.nspname || '.' || c.relname AS name,
      EXISTS (
        SELECT FROM pg_catalog.pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e'
      ) AS "isOfExtension"
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('information_schema', 'pg_catalog') AND n.nspname !~ '^pg_(toast|temp)'
      AND has_schema_privilege(n.oid, 'USAGE')
  ) AS t ON true
  WHERE r.rolname = current_user
  GROUP BY r.oid, r.rolname, r.rolsuper, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls`

export async function hasReaderRole(client: ClientBase): Promise<boolean> {
  const { rows } = await query(client, 'SELECT FROM pg_catalog.pg_roles WHERE rolname = $1', [readerRole])
  return rows.length > 0
}

/**
 * For a role created by hand after the migrations. Requires ownership of the tables.
 * @returns why it still lacks rights
 */
export async function grantReading(client: ClientBase, readable: readonly string[]): Promise<Error | undefined> {
  const { rows } = await query<{ schema: string; name: string }>(client, ungrantedSql, [readable, readerRole])
  if (rows.length === 0) return undefined
  const role = escapeIdentifier(readerRole)
  const schemas = [...new Set(rows.map(({ schema }) => escapeIdentifier(schema)))]
  const tables = rows.map(({ schema, name }) => `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`)
  try {
    await client.query(
      `GRANT USAGE ON SCHEMA ${schemas.join(', ')} TO ${role}; GRANT SELECT ON ${tables.join(', ')} TO ${role}`,
    )
    return undefined
  } catch (error) {
    return asDatabaseError(error)
  }
}

const ungrantedSql = `
  SELECT n.nspname AS schema, c.relname AS name
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname || '.' || c.relname = ANY ($1)
    AND NOT (has_schema_privilege($2, n.oid, 'USAGE') AND has_table_privilege($2, c.oid, 'SELECT'))`

/**
 * Unlike after SET ROLE, a statement cannot return to the program's account. The password is
 * derived from that account's, so none is stored.
 */
export interface ReaderLogin {
  readonly name: string
  readonly url: string
  readonly password: string | undefined
}

const maxNameBytes = 63

export function readerLoginOf(url: string, account: string): ReaderLogin {
  const login = new URL(url)
  const given = decodeURIComponent(login.password)
  const password =
    given === '' ? undefined : createHmac('sha256', given).update(`${readerRole} of ${account}`).digest('base64url')
  const name = shortened(`${readerRole}_of_${account}`)
  login.username = encodeURIComponent(name)
  login.password = password ?? ''
  return { name, url: login.href, password }
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name
  return `${readerRole}_of_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

/** SQLSTATE class 28: the login does not exist or has another password. */
export function isRefusedLogin(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code?.startsWith('28') ?? false)
}

/**
 * @param isSuperuser whether the account may also limit temporary files
 * @throws the server's error when the account may not create roles
 */
export async function makeReaderLogin(client: ClientBase, login: ReaderLogin, isSuperuser: boolean): Promise<void> {
  const name = escapeIdentifier(login.name)
  const password = login.password === undefined ? 'NULL' : escapeLiteral(scramVerifier(login.password))
  try {
    await client.query(`CREATE ROLE ${name} LOGIN PASSWORD ${password} IN ROLE ${escapeIdentifier(readerRole)}`)
  } catch (error) {
    if (!isDuplicate(error)) throw error
    await client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${password}`)
  }
  if (isSuperuser) await client.query(`ALTER ROLE ${name} SET temp_file_limit = '4GB'`)
}

/**
 * 42710 duplicate_object; 23505 unique_violation, when another process creates it at the same time.
 */
function isDuplicate(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '42710' || error.code === '23505')
}

const iterations = 4096

/** SCRAM verifier (RFC 5803), so that the password appears in no statement and no log. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}
