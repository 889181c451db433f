import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Connection } from '../connections/connection-store.ts'

/** How far the clock of a workflow may be from ours, in seconds; reports are remembered for longer than that. */
export const reportSeconds = 300

/**
 * The key by which the workflow of one connection signs its reports. It is derived and kept nowhere; the workflow has it as a secret of its
 * repository. Who knows that of one connection knows that of no other, and one that is connected anew has another.
 * @returns 64 hex digits
 */
export function reportKey(
  webhookSecret: string,
  { id, callbackSalt }: Pick<Connection, 'id' | 'callbackSalt'>,
): string {
  return Buffer.from(hkdfSync('sha256', webhookSecret, callbackSalt, `flowfarm deploy reports of ${id}`, 32)).toString(
    'hex',
  )
}

/** What is signed: when, and the body. */
export function signReport(key: string, timestamp: string, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex')}`
}

/** Whether a report was signed by this key. Takes as long whatever was sent. */
export function isSignedReport(key: string, timestamp: string, body: Buffer, signature: string): boolean {
  const [given, right] = [Buffer.from(signature), Buffer.from(signReport(key, timestamp, body))]
  return given.length === right.length && timingSafeEqual(given, right)
}
