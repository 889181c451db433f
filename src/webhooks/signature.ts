import { createHmac } from 'node:crypto'

/** As endpoints' owners are shown their secrets, and as libraries for Standard Webhooks take them. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

/** The bytes of such a text; undefined: it is none, or not of 24 to 64 bytes. */
export function secretOf(text: string): Buffer | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const secret = Buffer.from(base64, 'base64')
  return secret.length >= 24 && secret.length <= 64 ? secret : undefined
}

export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970, of the attempt: a receiver refuses old ones, so that nobody can send them again. */
  readonly timestamp: number
  readonly body: string
}

/**
 * `webhook-signature` of the Standard Webhooks: one signature for each secret that is good, so that secrets can be
 * changed without a gap.
 */
export function standardSignature({ id, timestamp, body }: SignedMessage, secrets: readonly Buffer[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
}

/**
 * The signature of the body alone, as clients of the Flow explorer know it. It does not keep anybody from sending
 * it again.
 */
export function bodySignature(body: string, secret: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
