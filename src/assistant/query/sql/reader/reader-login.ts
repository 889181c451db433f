import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { DatabaseError, escapeIdentifier, escapeLiteral } from 'pg'
import type { ClientBase } from 'pg'
import { readerRole } from './reader-role.ts'

/**
 * A login of its own that is a member of the reading role, so that a statement cannot go back to the account of the program, as it could
 * from SET ROLE. Its password follows from that of the account of the program: all processes know it, and nothing keeps it.
 */
export interface ReaderLogin {
  readonly name: string
  readonly url: string
  /** Undefined: the account of the program needs none here either. */
  readonly password: string | undefined
}

/** PostgreSQL cuts longer names. */
const longestName = 63

/** The login that belongs to the account of a connection string. */
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
  if (Buffer.byteLength(name) <= longestName) return name
  return `${readerRole}_of_${createHash('sha256').update(name).digest('hex').slice(0, 32)}`
}

/** The SQLSTATEs of a login that is not there, or whose password is another one. */
export function isRefusedLogin(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code?.startsWith('28') ?? false)
}

/**
 * Makes the login, or gives the one that is there its password anew, since that of the account was changed.
 * @param isSuperuser whether the account may also limit what the login spills to disk
 * @throws what the server says when the account may not make roles
 */
export async function makeReaderLogin(client: ClientBase, login: ReaderLogin, isSuperuser: boolean): Promise<void> {
  const name = escapeIdentifier(login.name)
  const password = login.password === undefined ? 'NULL' : escapeLiteral(scramVerifier(login.password))
  try {
    await client.query(`CREATE ROLE ${name} LOGIN PASSWORD ${password} IN ROLE ${escapeIdentifier(readerRole)}`)
  } catch (error) {
    if (!isThereAlready(error)) throw error
    await client.query(`ALTER ROLE ${name} LOGIN PASSWORD ${password}`)
  }
  if (isSuperuser) await client.query(`ALTER ROLE ${name} SET temp_file_limit = '4GB'`)
}

/** 42710 duplicate_object; 23505 unique_violation, when another process does the same at this moment. */
function isThereAlready(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '42710' || error.code === '23505')
}

/** As many as PostgreSQL takes by default. */
const iterations = 4096

/** What a server keeps of a password (RFC 5803): given in its place, the password itself is in no statement and in no log. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}
