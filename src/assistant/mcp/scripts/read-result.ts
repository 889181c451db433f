import { z } from 'zod'
import { isShallow } from '../../../platform/json-depth.ts'
import { chainFailed } from './script-errors.ts'
import { jsonCdcSchema } from './script-runner.ts'
import type { JsonCdc } from './script-runner.ts'

/** Results beyond this are of no use to a model; and a node may send anything. */
export const mostResultBytes = 8 * 1024 * 1024

/** The result of a script, as nodes write it. @throws ApiError 502 `chain-failed` */
export function readResult(bytes: Uint8Array): JsonCdc {
  if (bytes.length > mostResultBytes) throw resultTooLong()
  try {
    const result = jsonCdcSchema.parse(
      JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')),
    )
    if (!isShallow(result)) throw chainFailed('the result is nested too deep.')
    return result
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError)
      throw chainFailed('its answer is no JSON-CDC value.', error)
    throw error
  }
}

export function resultTooLong(): Error {
  return chainFailed(`the result is longer than ${mostResultBytes} bytes; have the script return less.`)
}
