import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { ApiError } from '../../src/platform/errors.ts'

/**
 * Ids and addresses in hex without `0x`, 64-bit integers as text, bytes in base64. Source:
 * onflow/flow-go `engine/access/rest/common/parser`.
 */

/** `final` equals `sealed`, since blocks are sealed at once. */
export type RequestedHeight = bigint | 'latest'

const maxUint64 = 2n ** 64n - 1n

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'bad-request', message)
}

/** 32 bytes of 64 hex digits. @throws ApiError */
export function readId(text: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(text)) throw badRequest('invalid ID format')
  return Buffer.from(text, 'hex')
}

/** Comma-separated ids. @throws ApiError */
export function readIds(text: string | null, max: number): Buffer[] {
  const ids = text === null || text === '' ? [] : text.split(',')
  if (ids.length > max) throw badRequest(`at most ${max} IDs can be requested at a time`)
  return [...new Set(ids)].map(readId)
}

/** 8 bytes of 16 hex digits, with or without 0x. @throws ApiError */
export function readAddress(text: string): Buffer {
  const digits = text.toLowerCase().replace(/^0x/, '')
  if (!/^[0-9a-f]{16}$/.test(digits)) throw badRequest(`invalid address: ${JSON.stringify(text.slice(0, 40))}`)
  return Buffer.from(digits, 'hex')
}

/** @throws ApiError */
export function readUint64(text: string, what: string): bigint {
  const value = /^\d{1,20}$/.test(text) ? BigInt(text) : maxUint64 + 1n
  if (value > maxUint64) throw badRequest(`invalid ${what}: value must be an unsigned 64 bit integer`)
  return value
}

/** @throws ApiError */
export function readUint32(text: string, what: string): number {
  const value = readUint64(text, what)
  if (value > 0xffff_ffffn) throw badRequest(`invalid ${what}: value must be an unsigned 32 bit integer`)
  return Number(value)
}

/** `sealed`, `final` or a height. @throws ApiError */
export function readHeight(text: string | null | undefined, what = 'height'): RequestedHeight | undefined {
  if (text === null || text === undefined || text === '') return undefined
  if (text === 'sealed' || text === 'final') return 'latest'
  const height = /^\d{1,16}$/.test(text) ? BigInt(text) : -1n
  if (height < 0n || height > BigInt(Number.MAX_SAFE_INTEGER))
    throw badRequest(`invalid ${what}: invalid height format`)
  return height
}

/** Padded base64. @throws ApiError */
export function readBase64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw badRequest(`invalid ${what} encoding`)
  return bytes
}

export const idParameter = z.string().transform(readId)
export const addressParameter = z.string().transform(readAddress)
/** @param what names the parameter in errors */
export const heightParameter = (what: string) =>
  z
    .string()
    .optional()
    .transform((text) => readHeight(text, what))
export const expandParameter = z
  .string()
  .default('')
  .transform((text): ReadonlySet<string> => new Set(text.split(',')))

/** JSON regardless of the content type, which clients do not send. */
export const withBody = { body: z.unknown(), maxBodyBytes: 4 * 1024 * 1024, readBody } as const

/** @throws ApiError */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const tooLarge = new ApiError(413, 'body-too-large', `request body too large: at most ${maxBytes} bytes`)
  if (Number(request.headers['content-length'] ?? '0') > maxBytes) throw tooLarge
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'request body contains badly-formed JSON', { cause: error })
  }
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
