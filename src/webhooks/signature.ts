import { createHmac } from 'node:crypto'

/** Format of Standard Webhooks. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

/** Undefined if invalid or not 24 to 64 bytes. */
export function secretOf(text: string): Buffer | undefined {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const secret = Buffer.from(base64, 'base64')
  return secret.length >= 24 && secret.length <= 64 ? secret : undefined
}

export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. Receivers reject old ones to prevent replays. */
  readonly timestamp: number
  readonly body: string
}

/** Standard Webhooks: one signature per valid secret, for rotation without a gap. */
export function standardSignature({ id, timestamp, body }: SignedMessage, secrets: readonly Buffer[]): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
}

/** As in the Flow explorer API. Does not prevent replays. */
export function bodySignature(body: string, secret: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
