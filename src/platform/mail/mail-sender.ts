import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FatalError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { makeFolder } from '../make-folder.ts'
import { optionalText, optionalUrl, text } from '../setting.ts'
import type { Setting, SettingValues } from '../setting.ts'

const group = 'E-mail'

export const mailSettings = {
  SMTP_URL: optionalUrl({
    group,
    secret: true,
    schemes: ['smtp', 'smtps'],
    description: 'Mail server, with credentials. Default: e-mails are written to files in MAIL_FOLDER and logged.',
  }),
  MAIL_FROM: text({ group, default: 'flowfarm <no-reply@localhost>', description: 'Sender address.' }),
  MAIL_FOLDER: optionalText({
    group,
    description:
      'Folder for e-mails without SMTP_URL. Default: ./mail for the wallet; e-mail alerts are off without a value.',
  }),
} satisfies Record<string, Setting<unknown>>

export type MailConfig = SettingValues<typeof mailSettings>

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

/** @throws if the e-mail was not accepted */
export type SendMail = (mail: Mail) => Promise<void>

interface MailPlace {
  /** Undefined: writes files to `folder`. */
  readonly smtpUrl: string | undefined
  readonly from: string
  readonly folder: string
}

const mailAddress = String.raw`[^\s<>@,;"]+@[^\s<>@,;"]+`
const senderForm = new RegExp(`^(?:${mailAddress}|[^<>\r\n]*<${mailAddress}>)$`)

/** @throws FatalError */
export function readMailFrom({ MAIL_FROM: from }: Pick<MailConfig, 'MAIL_FROM'>): string {
  if (senderForm.test(from)) return from
  throw new FatalError(
    'bad-mail-settings',
    `MAIL_FROM: ${from} must be one address, with or without a name, such as Example <no-reply@example.com>.`,
    { details: { variable: 'MAIL_FROM' } },
  )
}

/** @throws FatalError for an invalid sender */
export function openMailSender(config: MailConfig, log: Logger): SendMail {
  const { SMTP_URL: smtpUrl, MAIL_FOLDER: folder = './mail' } = config
  return mailSender({ smtpUrl, from: readMailFrom(config), folder }, log)
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 }

/** Without SMTP, writes private files named in the log. */
export function mailSender({ smtpUrl, from, folder }: MailPlace, log: Logger): SendMail {
  const transport = async (): Promise<SendMail> => {
    // Loaded on first use, for a faster start.
    const { createTransport } = await import('nodemailer')
    if (smtpUrl !== undefined) {
      const server = createTransport(
        { url: smtpUrl, ...timeouts },
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
      await makeFolder(folder, 0o700)
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`
      if (!Buffer.isBuffer(message)) throw new Error('unexpected stream from nodemailer')
      await writeFile(join(folder, name), message, { mode: 0o600, flag: 'wx' })
      log.info({ file: join(folder, name) }, 'E-mail written to a file, because SMTP_URL is not set')
    }
  }
  let ready: Promise<SendMail> | undefined
  return async (mail) => (await (ready ??= transport()))(mail)
}
