import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import { jsonOrNothing, responseText } from '../../../platform/response-text.ts'
import { mostResultBytes, readResult, resultTooLong } from './read-result.ts'
import { chainFailed, chainUnavailable, scriptFailed, stateNotServed } from './script-errors.ts'
import type { JsonCdc, ScriptRunner } from './script-runner.ts'

/** An answer holds the result in base64, with quotes and a line end. */
const mostAnswerBytes = Math.ceil(mostResultBytes / 3) * 4 + 16

/** Source of the shapes: onflow/flow, openapi/access.yaml, `/scripts`. */
const failureSchema = z.object({ message: z.string() })
const resultSchema = z.base64()

/** Runs scripts by the REST API of an access node. @param baseUrl without `/v1`, e.g. https://rest-mainnet.onflow.org (CHAIN_REST_URL) */
export function createRestScriptRunner(baseUrl: string): ScriptRunner {
  const scripts = new URL('v1/scripts', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`)
  return {
    async run(script, args, block, signal) {
      const url = new URL(scripts)
      if (block.id !== undefined) url.searchParams.set('block_id', block.id)
      else url.searchParams.set('block_height', block.height?.toString() ?? 'sealed')
      const body = JSON.stringify({
        script: toBase64(script),
        arguments: args.map((arg) => toBase64(JSON.stringify(arg))),
      })
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
          body,
          signal,
          redirect: 'error',
        })
        const text = await responseText(response, mostAnswerBytes, resultTooLong)
        if (!response.ok) throw refusalOf(response.status, text)
        return resultOf(text)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ApiError) throw error
        // The words of the fault would name the address, which may have a key in it.
        throw chainUnavailable('the one of CHAIN_REST_URL cannot be reached.', error)
      }
    },
  }
}

/** Twice wrapped: the body is a JSON text of base64, and in that is JSON-CDC. */
function resultOf(text: string): JsonCdc {
  const encoded = resultSchema.safeParse(jsonOrNothing(text))
  if (!encoded.success) throw chainFailed('its answer is no JSON text of base64.', encoded.error)
  return readResult(Buffer.from(encoded.data, 'base64'))
}

/** Source of the statuses: onflow/flow-go `engine/access/rest/common/http_request_handler.go`. */
function refusalOf(status: number, text: string): ApiError {
  const failure = failureSchema.safeParse(jsonOrNothing(text))
  const reason = failure.success ? failure.data.message : text
  if (status === 400) return scriptFailed(reason)
  if (status === 404) return stateNotServed(reason)
  if (status === 429 || status === 503) return chainUnavailable(`it answered ${status}: ${reason}`)
  return chainFailed(`it answered ${status}: ${reason}`)
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}
