import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { withTransaction } from '../../../src/platform/db/pool.ts'
import { mailSender } from '../../../src/platform/mail/mail-sender.ts'
import type { Mail } from '../../../src/platform/mail/mail-sender.ts'
import { Outbox } from '../../../src/platform/mail/outbox.ts'
import type { MailResult, OutboxOptions } from '../../../src/platform/mail/outbox.ts'
import { signInMail } from '../../../src/wallet/auth/mail.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

const mail = signInMail({
  to: 'a@example.com',
  name: 'Test <wallet>',
  link: 'https://wallet.example.com/auth/v1/verify?token=abc&type=magiclink',
  code: '012345',
})

describe('wallet e-mails', () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) })
  afterEach(() => {
    lines.length = 0
  })

  it('have the code in the body, not in the subject, and only escaped text in their HTML', () => {
    expect(mail.subject).not.to.include('012345')
    expect(mail.text).to.include('012345').and.include('verify?token=abc&type=magiclink')
    expect(mail.html)
      .to.include('Test &lt;wallet&gt;')
      .and.include('token=abc&amp;type=magiclink')
      .and.not.include('<wallet>')
  })

  it('are written to private files without a mail server; the log names only the file', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'flowfarm-mail-'))
    const folder = join(parent, 'mail')
    try {
      const send = mailSender({ smtpUrl: undefined, from: 'Wallet <no-reply@example.com>', folder }, log)
      await Promise.all([send(mail), send(mail)])
      const files = await readdir(folder)
      expect(files).to.have.length(2)
      const [file = ''] = files
      expect((await stat(join(folder, file))).mode & 0o777).to.equal(0o600)
      expect((await stat(folder)).mode & 0o777).to.equal(0o700)
      const text = await readFile(join(folder, file), 'utf8')
      expect(text)
        .to.include('From: Wallet <no-reply@example.com>')
        .and.include('To: a@example.com')
        .and.include('012345')
      expect(lines).to.have.length(2)
      expect(lines.join(''))
        .to.include(file)
        .and.not.include('012345')
        .and.not.include('token=')
        .and.not.include('a@example.com')
    } finally {
      await rm(parent, { recursive: true, force: true })
    }
  })

  it('are sent to the server in SMTP_URL', async () => {
    const output: string[] = []
    const server = createServer((socket) => {
      let isData = false
      socket.write('220 mail.example.com\r\n')
      socket
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          for (const line of chunk.split('\r\n').filter((one) => one !== '')) {
            output.push(line)
            if (isData && line !== '.') continue
            if (line === 'DATA') isData = true
            else if (line === '.') isData = false
            socket.write(
              line === 'DATA'
                ? '354 go on\r\n'
                : line.startsWith('AUTH')
                  ? '235 welcome\r\n'
                  : line.startsWith('EHLO')
                    ? '250-mail.example.com\r\n250 AUTH PLAIN\r\n'
                    : '250 ok\r\n',
            )
          }
        })
        .on('error', () => undefined)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await mailSender(
      { smtpUrl: `smtp://user:pass%20word@127.0.0.1:${port}`, from: 'Wallet <no-reply@example.com>', folder: 'unused' },
      log,
    )(mail)
    const text = output.join('\n')
    expect(text)
      .to.include('MAIL FROM:<no-reply@example.com>')
      .and.include('RCPT TO:<a@example.com>')
      .and.include('012345')
    expect(text).to.include(`AUTH PLAIN ${Buffer.from('\0user\0pass word').toString('base64')}`)
    expect(lines).to.deep.equal([])
    server.close()
    await once(server, 'close')
  })

  describe('queued e-mails', () => {
    let database: TestDatabase
    const outboxes: Outbox[] = []
    before(async () => {
      database = await createTestDatabase()
    })
    afterEach(async () => {
      await Promise.all(outboxes.splice(0).map((outbox) => outbox.close()))
      await database.pool.query('truncate wallet_auth.outgoing_mails')
    })
    after(() => database.drop())

    const open = (options: Omit<OutboxOptions, 'pool' | 'table' | 'log'>): Outbox => {
      const outbox = new Outbox({ pool: database.pool, table: 'wallet_auth.outgoing_mails', log, ...options })
      outboxes.push(outbox)
      return outbox
    }
    const store = (outbox: Outbox, ...subjects: readonly string[]): Promise<void> =>
      withTransaction(database.pool, async (db) => {
        for (const subject of subjects) await outbox.store(db, { ...mail, subject })
      })
    const away = (): Promise<void> => Promise.reject(new Error('away'))
    const makeDue = (): Promise<unknown> =>
      database.pool.query('update wallet_auth.outgoing_mails set next_attempt_at = now()')
    const stored = async (): Promise<number> =>
      (await database.pool.query('select from wallet_auth.outgoing_mails')).rowCount ?? 0

    it('are retried, and dropped with a log line without their content', async () => {
      let tries = 0
      const outbox = open({
        retryAfterMs: [1, 1],
        send: () => {
          tries++
          return tries === 1 ? Promise.reject(new Error(`550 no: ${mail.text}`)) : Promise.resolve()
        },
      })
      outbox.put(mail)
      await outbox.settled()
      expect(tries).to.equal(2)
      const never = open({
        retryAfterMs: [1, 1],
        send: () => {
          tries++
          return Promise.reject(new Error(`550 no: ${mail.text}`))
        },
      })
      never.put(mail)
      await never.settled()
      expect(tries).to.equal(5)
      expect(lines).to.have.length(4)
      expect(lines.join('')).not.to.include('012345').and.not.include('a@example.com')
    })

    it('do not delay shutdown', async () => {
      const outbox = open({ retryAfterMs: [60_000], send: away })
      outbox.put(mail)
      await outbox.close()
      expect(lines).to.have.length(1)
      expect(await stored()).to.equal(0)
    })

    it('are sent in order by the next process if the process ends after the commit, and not after a rollback', async () => {
      const ended = open({ send: away })
      await ended.close()
      await store(ended, 'first', 'second')
      const rolledBack = withTransaction(database.pool, async (db) => {
        await ended.store(db, { ...mail, subject: 'third' })
        throw new Error('rolled back')
      })
      await rolledBack.catch(() => undefined)
      const sent: Mail[] = []
      const results: MailResult[] = []
      const next = open({
        send: (one) => Promise.resolve(void sent.push(one)),
        onDone: (result) => results.push(result),
      })
      await next.settled()
      expect(sent).to.deep.equal([
        { ...mail, subject: 'first' },
        { ...mail, subject: 'second' },
      ])
      expect(results).to.deep.equal(['sent', 'sent'])
      expect(await stored()).to.equal(0)
    })

    it('are sent by another process if the sending process is killed', async () => {
      const program = join(import.meta.dirname, 'support/mail-process.ts')
      const child = spawn(process.execPath, [program, database.url], { stdio: 'inherit' })
      expect(await once(child, 'exit')).to.deep.equal([null, 'SIGKILL'])
      const sent: Mail[] = []
      const next = open({ send: (one) => Promise.resolve(void sent.push(one)) })
      await next.settled()
      expect(sent, 'before the killed process had time to send it').to.deep.equal([])
      await makeDue()
      await next.settled()
      expect(sent.map(({ subject }) => subject)).to.deep.equal(['Kept'])
    })

    it('are sent once with several processes', async () => {
      const sent: string[] = []
      const processes = [1, 2, 3].map(() =>
        open({
          send: ({ subject }) => Promise.resolve(void sent.push(subject)),
        }),
      )
      const [first] = processes
      if (first === undefined) throw new Error('the outbox is not running')
      const subjects = Array.from({ length: 20 }, (_, at) => String(at))
      await store(first, ...subjects)
      await Promise.all(processes.map((one) => one.settled()))
      expect(sent).to.have.members(subjects)
      expect(sent).to.have.length(subjects.length)
    })

    it('are stored up to a limit, retried after a delay, and dropped after a day', async () => {
      const results: MailResult[] = []
      let tries = 0
      const send = (): Promise<void> => {
        tries++
        return away()
      }
      const outbox = open({ maxStored: 2, storedRetryMs: 600_000, onDone: (result) => results.push(result), send })
      await store(outbox, 'first', 'second', 'third')
      expect([await stored(), results]).to.deep.equal([2, ['failed']])
      await outbox.settled()
      await outbox.settled()
      expect(tries).to.equal(2)
      await makeDue()
      await outbox.settled()
      expect([tries, await stored()]).to.deep.equal([4, 2])
      await database.pool.query("update wallet_auth.outgoing_mails set created_at = now() - interval '1 day'")
      await makeDue()
      await outbox.settled()
      expect([tries, await stored(), results]).to.deep.equal([4, 0, ['failed', 'failed', 'failed']])
    })
  })
})
