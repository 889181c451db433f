import { pino } from 'pino'
import type pg from 'pg'
import { pause } from '../../../src/platform/retry.ts'
import { createTransactionClient } from '../../../src/access/transaction-client.ts'
import type { TransactionClient } from '../../../src/access/transaction-client.ts'
import type { ChainAccount } from '../../../src/flow/chain-reader.ts'
import { externalAccount } from '../../../simnode/ledger/world/account.ts'
import type { Findings } from '../report/findings.ts'
import { amountEach } from '../wallet/send-flow.ts'
import type { WalletUsers } from '../wallet/wallet-users.ts'

/**
 * Funding of a new account (WALLET_TESTNET_FUNDS) and minimum balance of every account, in units of
 * 10^-8 FLOW.
 */
export const fundsInFlow = 10
const startBalance = BigInt(fundsInFlow) * 100_000_000n + 100_000n
const settleMs = 60_000

/**
 * Compares the responses of the wallet with its tables, and the tables with the chain on which it
 * creates accounts. Call after `settle` of the users. @returns a summary of the comparison
 */
export async function checkWallet(
  pool: pg.Pool,
  testUsers: WalletUsers,
  endpoint: string,
  findings: Findings,
): Promise<string> {
  const complain = (text: string): void => findings.add('wallet', text)
  await untilNoneIsOpen(pool, complain)
  await checkPeople(pool, testUsers, complain)
  await checkRefreshTokens(pool, complain)
  const client = createTransactionClient({ endpoint, log: pino({ level: 'silent' }) })
  try {
    const accounts = await checkAccounts(pool, testUsers, client, complain)
    await checkSent(testUsers, accounts, client, complain)
  } finally {
    await client.close()
  }
  const { users: count, accounts, signIns, refreshes, sent } = testUsers.counts
  if (count === 0 || accounts === 0) complain('there was nothing to compare')
  return `${count} users, ${accounts} accounts, ${signIns} passkey sign-ins, ${refreshes} refreshed sessions, ${sent} transactions`
}

/** A pending transaction may need time, but must not stay pending. */
async function untilNoneIsOpen(pool: pg.Pool, complain: (text: string) => void): Promise<void> {
  const until = performance.now() + settleMs
  for (;;) {
    const { rows } = await pool.query<{ state: string }>(
      `select credential_id, state from wallet.accounts where state in ('wanted', 'sent') union all
       select credential_id, 'transaction' from wallet.payer_transactions where outcome is null`,
    )
    if (rows.length === 0) return
    if (performance.now() > until)
      return complain(
        `${rows.length} accounts or transactions are not settled ${settleMs} ms after the last fault; first ${JSON.stringify(rows[0])}`,
      )
    await pause(100)
  }
}

/** Exactly the users with a successful sign-up must exist, with the passkeys reported to them. */
async function checkPeople(
  pool: pg.Pool,
  { users: testUsers }: WalletUsers,
  complain: (text: string) => void,
): Promise<void> {
  const { rows: users } = await pool.query<{ id: string; email: string }>('select id, email from wallet_auth.users')
  const ofEmail = new Map(users.map(({ id, email }) => [email, id]))
  const known = new Set(testUsers.map(({ email }) => email))
  for (const { email } of users) if (!known.has(email)) complain(`user ${email} exists, but never signed up`)
  if (ofEmail.size !== users.length) complain('an e-mail address has two users')
  const { rows: passkeys } = await pool.query<{ id: string; user_id: string; key: string }>(
    "select credential_id as id, user_id, encode(public_key_sec1, 'hex') as key from wallet.passkeys where removed_at is null",
  )
  const stored = new Map(passkeys.map((passkey) => [passkey.id, passkey]))
  for (const { email, userId, keys } of testUsers) {
    const isThere = ofEmail.get(email)
    if (userId !== undefined && isThere !== userId)
      complain(`${email} received the user id ${userId}; stored is ${isThere ?? 'none'}`)
    for (const { id, publicKeySec1Hex, isSure } of keys) {
      const passkey = stored.get(id)
      stored.delete(id)
      if (passkey === undefined ? isSure : passkey.key !== publicKeySec1Hex || passkey.user_id !== userId) {
        complain(
          `passkey ${id} of ${email} is ${passkey === undefined ? 'not there' : `that of ${passkey.user_id} with the key ${passkey.key}`}`,
        )
      }
    }
  }
  for (const id of stored.keys()) complain(`passkey ${id} exists, but was never registered`)
}

/** One refresh token of a session must be valid, regardless of refreshes from several tabs. */
async function checkRefreshTokens(pool: pg.Pool, complain: (text: string) => void): Promise<void> {
  const { rows } = await pool.query<{ id: string; good: number }>(
    `select s.id, (select count(*)::int from wallet_auth.refresh_tokens t where t.session_id = s.id and t.used_at is null) as good from wallet_auth.sessions s`,
  )
  const wrong = rows.filter(({ good }) => good !== 1)
  if (wrong.length > 0)
    complain(
      `${wrong.length} of ${rows.length} sessions do not have exactly one valid refresh token; first ${JSON.stringify(wrong[0])}`,
    )
}

/**
 * The accounts in the tables and on the chain must be the same, each with the key of its passkey.
 */
async function checkAccounts(
  pool: pg.Pool,
  { users: testUsers }: WalletUsers,
  client: TransactionClient,
  complain: (text: string) => void,
): Promise<ReadonlyMap<string, ChainAccount>> {
  const { rows } = await pool.query<{
    id: string
    user_id: string
    state: string
    address: string | null
    key: string
    failure: string | null
  }>(
    "select credential_id as id, user_id, state, address, encode(public_key, 'hex') as key, failure from wallet.accounts where network = 'testnet'",
  )
  const onChain = await accountsOf(client)
  const ofId = new Map(rows.map((row) => [row.id, row]))
  for (const { email, userId, wanted, account } of testUsers) {
    if (wanted === undefined) continue
    const row = ofId.get(wanted.id)
    ofId.delete(wanted.id)
    // A request without a response may not have arrived. Answered requests are checked at the end
    // of the account.
    if (row === undefined && account === undefined) continue
    if (row?.state !== 'sealed')
      complain(`the account of ${email} is ${row === undefined ? 'not there' : `${row.state}: ${row.failure ?? ''}`}`)
    else if (row.user_id !== userId || row.key !== wanted.publicKeySec1Hex.slice(2) || row.address !== account)
      complain(`the account of ${email}, ${account}, is ${JSON.stringify(row)}`)
    else if (onChain.get(row.address ?? '')?.keys[0]?.publicKey.toLowerCase() !== row.key)
      complain(`${row.address} of ${email} is not on the chain with the key of the passkey`)
  }
  for (const id of ofId.keys()) complain(`passkey ${id} has an account that was never requested`)
  const named = new Map(rows.map(({ address, key }) => [address, key]))
  for (const [address, { keys }] of onChain) {
    if (named.get(address) !== keys[0]?.publicKey.toLowerCase())
      complain(
        `${address} is on the chain with the key ${keys[0]?.publicKey}, but in no table: it was created twice, or lost`,
      )
  }
  return onChain
}

/**
 * All accounts created by sent transactions, by address; the payer's account precedes the first.
 */
async function accountsOf(client: TransactionClient): Promise<Map<string, ChainAccount>> {
  const found = new Map<string, ChainAccount>()
  for (let ordinal = 1; ; ordinal++) {
    const address = `0x${externalAccount(ordinal).hex}`
    const account = await client.account(address)
    if (account === undefined) return found
    found.set(address, account)
  }
}

/** Transactions reported as sent must be on the chain once, and unsigned ones never. */
async function checkSent(
  { sent }: WalletUsers,
  accounts: ReadonlyMap<string, ChainAccount>,
  client: TransactionClient,
  complain: (text: string) => void,
): Promise<void> {
  for (const [sender, theirs] of Map.groupBy(sent, (one) => one.sender)) {
    const account = accounts.get(sender)
    const done = theirs.filter(({ isDone }) => isDone)
    const used = account?.keys[0]?.sequenceNumber ?? 0
    if (used < done.length || used > theirs.length)
      complain(
        `${sender} has used ${used} sequence numbers; ${theirs.length} transactions were signed, and ${done.length} reported as sealed`,
      )
    const max = startBalance - BigInt(done.length) * amountEach
    const min = startBalance - BigInt(theirs.length) * amountEach * 2n
    const balance = BigInt((account?.balance ?? '0').replace('.', ''))
    if (balance > max || balance < min)
      complain(`${sender} has ${account?.balance} FLOW after ${done.length} transactions reported as sealed`)
    for (const { id } of done) {
      const result = await client.result(Buffer.from(id ?? '', 'hex'))
      if (result?.status !== 'SEALED' || result.statusCode !== 0)
        complain(
          `transaction ${id} was reported as sealed; its status is ${result?.status ?? 'unknown'}: ${result?.errorMessage ?? ''}`,
        )
    }
  }
}
