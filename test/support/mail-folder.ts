import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The folder to which a program writes e-mails if it has no mail server. */
export interface MailFolder {
  /** The value of MAIL_FOLDER. */
  readonly path: string
  /** Waits for an e-mail to an address. @returns the latest code */
  codeFor(email: string): Promise<string>
  remove(): Promise<void>
}

export async function createMailFolder(): Promise<MailFolder> {
  const path = await mkdtemp(join(tmpdir(), 'flowfarm-mail-'))
  const newest = async (email: string): Promise<string | undefined> => {
    for (const name of (await readdir(path))
      .filter((one) => one.endsWith('.eml'))
      .toSorted()
      .toReversed()) {
      const [head = '', ...body] = (await readFile(join(path, name), 'utf8')).split('\n\n')
      // The file exists before it is fully written.
      const code = head.includes(`To: ${email}`) ? /\b\d{6}\b/.exec(body.join('\n\n'))?.[0] : undefined
      if (code !== undefined) return code
    }
    return undefined
  }
  return {
    path,
    codeFor: async (email) => {
      for (;;) {
        const code = await newest(email)
        if (code !== undefined) return code
        await delay(20)
      }
    },
    remove: () => rm(path, { recursive: true, force: true }),
  }
}
