/** An e-mail to one person. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Hands an e-mail on. @throws when it was not taken */
export type SendMail = (mail: Mail) => Promise<void>
