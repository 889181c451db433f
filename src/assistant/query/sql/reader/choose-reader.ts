import { Client, DatabaseError, escapeIdentifier } from 'pg'
import type { Logger } from '../../../../platform/log.ts'
import { asDatabaseError } from '../../../../platform/db/errors.ts'
import { clientConfig } from '../../../../platform/db/pool.ts'
import { isRefusedLogin, makeReaderLogin, readerLoginOf, type ReaderLogin } from './reader-login.ts'
import { type AccountRights, grantReading, hasReaderRole, readerRole, rightsOf } from './reader-role.ts'

/** As whom statements of strangers run. */
export interface Reader {
  readonly url: string
  /** The role that each transaction takes on, where the account of the URL may do more than read. */
  readonly role: string | undefined
}

export interface ReaderOptions {
  readonly url: string
  /** `schema.table` of all that is for everybody. */
  readonly readable: readonly string[]
  /** Whether the database is ours, and the role flowfarm_reader may be put to use in it. */
  readonly isOurs: boolean
  readonly log: Logger
}

const applicationName = 'flowfarm ask'

/**
 * Finds the account that may do least: that of the URL where it may only read what is for everybody, else a login of its own in the
 * role flowfarm_reader, else that role taken on inside each transaction. Where none of them works, a warning says what to run by hand.
 * @throws RetryableError when the database cannot be reached
 */
export async function chooseReader(options: ReaderOptions): Promise<Reader> {
  const { url, readable, isOurs, log } = options
  return withClient(url, async (client) => {
    const rights = await rightsOf(client, isOurs ? readable : [])
    if (isOurs && rights.openToAll.length > 0) {
      log.warn(
        { tables: rights.openToAll },
        'every account of the server may read or change tables that are not the chain; the gate refuses them all the same. As their owner: REVOKE ALL ON ... FROM PUBLIC',
      )
    }
    const asItIs: Reader = { url, role: undefined }
    if (!rights.mayWrite && !(isOurs && rights.readsMore)) return asItIs
    const reader = isOurs ? await ourReader(client, rights, options) : await readerOfOthers(client, rights, options)
    if (reader !== undefined && reader.role === undefined) return reader
    log.warn(
      { account: rights.name, role: reader?.role },
      isOurs ? adviceForOurs(rights.name) : adviceForOthers(rights.name),
    )
    return reader ?? asItIs
  })
}

async function ourReader(
  client: Client,
  rights: AccountRights,
  { url, readable, log }: ReaderOptions,
): Promise<Reader | undefined> {
  if (!(await hasReaderRole(client))) return undefined
  const lacking = await grantReading(client, readable)
  if (lacking !== undefined)
    log.warn({ err: lacking }, `the role ${readerRole} may not read all tables that are for everybody`)
  const login = readerLoginOf(url, rights.name)
  const problem = await whyNotLogin(client, rights, login, readable)
  if (problem === undefined) return { url: login.url, role: undefined }
  log.debug({ err: problem, login: login.name }, 'there is no login for reading')
  return (await mayTakeOn(client, readerRole)) ? { url, role: readerRole } : undefined
}

/** In a database of others nothing is made; a superuser at least puts its rights aside. */
async function readerOfOthers(
  client: Client,
  rights: AccountRights,
  { url }: ReaderOptions,
): Promise<Reader | undefined> {
  const role = 'pg_read_all_data'
  return rights.isSuperuser && (await mayTakeOn(client, role)) ? { url, role } : undefined
}

/** Tries the login, and makes it when it is not there. */
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

/** A login of the name may be there that somebody else made for something else. */
async function whyTooMuch(login: ReaderLogin, readable: readonly string[]): Promise<Error | undefined> {
  return withClient(login.url, async (client) => {
    const { mayWrite, readsMore } = await rightsOf(client, readable)
    return mayWrite || readsMore
      ? new Error(`the login ${login.name} may do more than the role ${readerRole}`)
      : undefined
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
  // A connection that breaks fails the statement that is under way.
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
    `Statements of the query service run with the rights of ${account}, guarded by the parser and a read-only transaction alone, or by SET ROLE. ` +
    `For a wall of its own let an administrator run: CREATE ROLE ${readerRole} NOLOGIN; GRANT ${readerRole} TO ${account}; ` +
    `CREATE ROLE chain_reader LOGIN PASSWORD '...' IN ROLE ${readerRole}; and set INDEXER_DATABASE_URL to that login.`
  )
}

function adviceForOthers(account: string): string {
  return `EVM_EXPLORER_DATABASE_URL leads to ${account}, which may do more than read. Let an administrator make a login with SELECT on the tables of the chain alone, and set the URL to it.`
}
