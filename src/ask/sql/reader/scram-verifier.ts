import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** As many as PostgreSQL takes by default. */
const iterations = 4096

/** What a server keeps of a password (RFC 5803): given in its place, the password itself is in no statement and in no log. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const hmac = (text: string): Buffer => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}
