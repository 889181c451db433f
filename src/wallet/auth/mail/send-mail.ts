import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../../../base/log.ts'
import type { SendMail } from './mail.ts'

export interface MailSettings {
  /** SMTP_URL. Undefined: files in `folder`. */
  readonly smtpUrl: string | undefined
  /** MAIL_FROM. */
  readonly from: string
  /** MAIL_FOLDER. */
  readonly folder: string
}

/** What a server of e-mail has to answer in, ms. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Sends e-mails by SMTP; or, without a server, writes them to files that their owner alone may read, and names the file in the log. */
export function mailSender({ smtpUrl, from, folder }: MailSettings, log: Logger): SendMail {
  const transport = async (): Promise<SendMail> => {
    // Loaded when the first is sent: a start need not wait for it.
    const { createTransport } = await import('nodemailer')
    if (smtpUrl !== undefined) {
      const server = createTransport(
        { url: smtpUrl, ...patience },
        { from, disableFileAccess: true, disableUrlAccess: true },
      )
      return async (mail) => void (await server.sendMail(mail))
    }
    const writer = createTransport(
      { streamTransport: true, buffer: true, newline: 'unix' },
      { from, disableFileAccess: true, disableUrlAccess: true },
    )
    return async (mail) => {
      const { message } = await writer.sendMail(mail)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
      if (!Buffer.isBuffer(message)) throw new Error('the e-mail was made as a stream')
      await writeFile(join(folder, name), message, { mode: 0o600, flag: 'wx' })
      log.info({ file: join(folder, name) }, 'an e-mail was written to a file, since SMTP_URL is not set')
    }
  }
  let ready: Promise<SendMail> | undefined
  return async (mail) => (await (ready ??= transport()))(mail)
}
